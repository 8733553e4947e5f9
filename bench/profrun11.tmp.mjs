import { spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { createServer } from 'node:http';
import autocannon from 'autocannon';
await rm('/tmp/prof11', {recursive:true, force:true});
const server = createServer(()=>{}); await new Promise(r=>server.listen(0,'127.0.0.1',r));
const child = spawn(process.execPath, ['--cpu-prof','--cpu-prof-interval','400','--cpu-prof-dir=/tmp/prof11/cpu','apps/standalone/dist/main.js','--no-sample'], {env:{PATH:process.env.PATH, PARLANCE_DATA:'/tmp/prof11/data', PORT:'0', EGRESS_ALLOW:'127.0.0.0/8', SPEECH_ENGINE_URL:'fixture:', LOG_LEVEL:'warn'}, stdio:['ignore','pipe','inherit']});
let url; for await (const l of createInterface({input:child.stdout})) { url=/ready at (http:\S+)/.exec(l)?.[1]; if(url) break; }
child.stdout.resume();
const key=(await readFile('/tmp/prof11/data/api-key','utf8')).trim();
const load = (duration) => autocannon({url:url+'/api/v1/transcriptions', method:'POST', headers:{'content-type':'application/json', authorization:'Bearer '+key}, body: JSON.stringify({audio_url:`http://127.0.0.1:${server.address().port}/a.wav`, language:'en', metadata:{source:'bench'}}), connections:32, duration});
await load(1);
const from = performance.now ? Number(process.hrtime.bigint()/1000n) : 0;
const r = await load(Number(process.argv[2] ?? 8));
const to = Number(process.hrtime.bigint()/1000n);
console.log(r.requests.average, r.latency.p99, r.non2xx);
await writeFile('/tmp/prof11/window.json', JSON.stringify({from,to,total:r.requests.total}));
child.kill('SIGTERM'); await new Promise(r=>child.on('exit',r)); server.closeAllConnections(); server.close();
