// Makes of a rendered chart what promtool reads: chart-rules.mjs RENDERED FOLDER
// rules.yaml has the alerts, dashboard.yaml a rule for each query of the dashboard, alerts.test.yaml the alerts' unit tests.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';

const [rendered, folder] = process.argv.slice(2);
const tests = 'helm/parlance/tests/alerts.test.yaml';

const objects = parseAllDocuments(await readFile(rendered, 'utf8')).map((document) => document.toJS());
const { groups } = objects.find((object) => object?.kind === 'PrometheusRule').spec;
const dashboard = JSON.parse(objects.find((object) => object?.data?.['parlance.json']).data['parlance.json']);

const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
if (queries.length === 0) throw new Error('The dashboard has no queries.');
/** As Grafana does, with the namespace that was chosen and an interval. */
const filledIn = (query) => query.replaceAll('$namespace', 'parlance').replaceAll('$__rate_interval', '5m');
const recorded = queries.map((query, index) => ({ record: `dashboard:query:${index}`, expr: filledIn(query) }));

const expectations = parse(await readFile(tests, 'utf8')).tests.flatMap((test) => test.alert_rule_test);
const isTested = (alert, fires) => expectations.some(({ alertname, exp_alerts: expected = [] }) => alertname === alert && expected.length > 0 === fires);
const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
const untested = alerts.filter((alert) => !isTested(alert, true) || !isTested(alert, false));
if (untested.length > 0) throw new Error(`${tests} has to show ${untested.join(', ')} firing, and not firing.`);

await writeFile(join(folder, 'rules.yaml'), stringify({ groups }));
await writeFile(join(folder, 'dashboard.yaml'), stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
await writeFile(join(folder, 'alerts.test.yaml'), await readFile(tests, 'utf8'));
