#!/usr/bin/env python3
"""Runs a Dockerfile's steps for real, without Docker: image-dockerfile.py DOCKERFILE CONTEXT CACHE

Each step is an overlay layer in CACHE, named by what went into it, and is not run again while that is the same. RUN is run
in a chroot. Prints, as JSON, where the last stage's root file system is mounted and the image's settings.
Knows what our Dockerfile uses; anything else is an error. Base images are made by debootstrap and the npm package `node`."""
import hashlib, json, os, re, shlex, shutil, signal, subprocess, sys, time
from pathlib import Path

DOCKERFILE, CONTEXT, CACHE = (Path(argument).resolve() for argument in sys.argv[1:4])
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=sys.stderr, **options)


def instructions(text):
    """(name, arguments) of each; lines that end in a backslash go on, comments between them are left out."""
    kept = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    for line in re.sub(r"\\\n\s*", " ", "\n".join(kept)).splitlines():
        name, _, arguments = line.strip().partition(" ")
        yield name.upper(), arguments.strip()


def ignore_rules():
    lines = (CONTEXT / ".dockerignore").read_text().splitlines()
    for line in (line.strip() for line in lines):
        if line and not line.startswith("#"):
            pattern = re.escape(line.lstrip("!").strip("/")).replace(r"\*\*/", "(.*/)?").replace(r"\*", "[^/]*")
            yield line.startswith("!"), re.compile(f"{pattern}(/.*)?")


def context_files():
    rules = list(ignore_rules())
    found = []
    for folder, folders, files in os.walk(CONTEXT):
        folders[:] = sorted(name for name in folders if name not in (".git", "node_modules"))
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), CONTEXT)
            kept = True
            for keep, rule in rules:
                if rule.fullmatch(path):
                    kept = keep
            if kept:
                found.append(path)
    return found


class Layers:
    """A stack of overlay layers, mounted while it is worked on."""

    def __init__(self, chain):
        self.chain = chain

    @property
    def key(self):
        return self.chain[-1].name

    def add(self, what, work):
        """A layer on top: taken from the cache, or made by `work(root)`."""
        key = hashlib.sha256(f"{self.key} {what}".encode()).hexdigest()[:24]
        layer = CACHE / "layers" / key
        if not layer.exists():
            say(f"  {what.splitlines()[0][:140]}")
            part, scratch, root = (CACHE / "layers" / f"{key}.{end}" for end in ("part", "work", "root"))
            for folder in (part, scratch, root):
                forget(folder)
                folder.mkdir(parents=True)
            part.chmod(0o755)
            lower = ":".join(str(below) for below in reversed(self.chain))
            run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={lower},upperdir={part},workdir={scratch}", str(root))
            try:
                work(root)
            finally:
                run("umount", str(root))
            shutil.rmtree(scratch, ignore_errors=True)
            root.rmdir()
            part.rename(layer)
        os.utime(layer)
        self.chain = [*self.chain, layer]

    def mount(self, at):
        if os.path.ismount(at):
            run("umount", str(at))
        at.mkdir(parents=True, exist_ok=True)
        run("mount", "-t", "overlay", "overlay", "-o", "lowerdir=" + ":".join(str(below) for below in reversed(self.chain)), str(at))
        return at


def debian(suite):
    base = CACHE / f"debian-{suite}"
    if not base.exists():
        say(f"debootstrap {suite}")
        part = base.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        run("debootstrap", "--variant=minbase", suite, str(part), "http://deb.debian.org/debian")
        part.rename(base)
    return Layers([base])


def with_node(layers, major):
    """What the image node:24-… has beside Debian: node and npm."""
    npm = Path(subprocess.run(["npm", "root", "-g"], check=True, capture_output=True, text=True).stdout.strip()) / "npm"

    def work(root):
        download = CACHE / f"node-{major}"
        if not download.exists():
            run("npm", "install", "--silent", "--no-save", "--prefix", str(download), f"node@{major}", cwd=CACHE)
        (root / "usr/local/lib/node_modules").mkdir(parents=True, exist_ok=True)
        shutil.copy(download / "node_modules/node/bin/node", root / "usr/local/bin/node")
        shutil.copytree(npm, root / "usr/local/lib/node_modules/npm", symlinks=True)
        (root / "usr/local/bin/npm").symlink_to("../lib/node_modules/npm/bin/npm-cli.js")

    layers.add(f"FROM node:{major}", work)
    return layers


def base_image(image):
    node = re.fullmatch(r"node:(\d+)-(\w+)-slim", image)
    plain = re.fullmatch(r"debian:(\w+)-slim", image)
    if node:
        return with_node(debian(node[2]), node[1])
    if plain:
        return debian(plain[1])
    sys.exit(f"no base image {image}")


def chrooted(root, command, folder, environment):
    """Runs it with the machine's network, certificates and npm settings, of which nothing stays in the layer."""
    borrowed = {"/etc/resolv.conf": "/etc/resolv.conf", str(CERTIFICATES): "/run/certificates.crt", "/root/.npmrc": "/run/npmrc"}
    script = ["set -e", "mount -t proc proc proc", "mount -t tmpfs tmpfs run", "mount --rbind /dev dev"]
    for source, target in borrowed.items():
        if os.path.exists(source):
            inside = shlex.quote(str(root) + target)
            # A bind mount needs something to lie on; what was not there goes away with the mounts' namespace.
            script.append(f"[ -e {inside} ] || touch {inside}; mount --bind {source} {inside}")
    script.append("mkdir -p run/npm-cache " + shlex.quote(str(CACHE / "npm-cache")))
    script.append(f"mount --bind {shlex.quote(str(CACHE / 'npm-cache'))} run/npm-cache")
    script.append(f"exec chroot . /bin/sh -c {shlex.quote(f'cd {folder} && {command}')}")
    run(
        *("unshare", "--mount", "--propagation", "private", "sh", "-c", "\n".join(script)),
        cwd=root,
        env={
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "DEBIAN_FRONTEND": "noninteractive",
            "NODE_EXTRA_CA_CERTS": "/run/certificates.crt",
            "npm_config_userconfig": "/run/npmrc",
            "npm_config_cache": "/run/npm-cache",
            **environment,
        },
    )


def digest(root, paths):
    seen = hashlib.sha256()
    for path in paths:
        content = os.readlink(root / path).encode() if (root / path).is_symlink() else (root / path).read_bytes()
        seen.update(f"{path} {os.lstat(root / path).st_mode:o} {len(content)} ".encode() + content)
    return seen.hexdigest()


def copy(options, arguments, stage, stages):
    *sources, destination = arguments
    mode = options.get("chmod")
    target = os.path.normpath(os.path.join(stage["folder"], destination))
    into_folder = destination.endswith("/") or len(sources) > 1
    below = stages[options["from"]]["layers"] if "from" in options else None
    files = [] if below else [path for path in context_files() if any(covers(source, path) for source in sources)]
    if not below and not files:
        sys.exit(f"COPY {' '.join(sources)}: the context has no such file")

    def work(root):
        origin = below.mount(CACHE / "origin") if below else CONTEXT
        inside = Path(str(root) + target)
        for source in sources:
            place(origin, source.lstrip("/"), inside, into_folder, None if below else files)
        if mode:
            inside.chmod(int(mode, 8))
        if below:
            run("umount", str(origin))

    what = f"COPY {options} {sources} {target} " + (below.key if below else digest(CONTEXT, files))
    stage["layers"].add(what, work)


def covers(source, path):
    source = os.path.normpath(source)
    return source == "." or path == source or path.startswith(source + "/")


def place(origin, source, target, into_folder, files):
    start = Path(os.path.normpath(origin / source))
    if start.is_dir() and files is None:
        shutil.copytree(start, target, symlinks=True, dirs_exist_ok=True)
    elif start.is_dir():
        for path in (path for path in files if covers(source, path)):
            copied = target / (origin / path).relative_to(start)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(origin / path, copied, follow_symlinks=False)
    else:
        copied = target / start.name if into_folder else target
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(start, copied, follow_symlinks=False)


def split_options(arguments):
    options = {}
    while arguments.startswith("--"):
        option, _, arguments = arguments.partition(" ")
        name, _, value = option[2:].partition("=")
        options[name] = value
    return options, arguments.strip()


def pairs(arguments):
    return dict(word.split("=", 1) for word in shlex.split(arguments))


def forget(folder):
    """Also one that a killed run left mounted."""
    if os.path.ismount(folder):
        run("umount", "--lazy", str(folder))
    shutil.rmtree(folder, ignore_errors=True)


def forget_old_layers():
    """Those that nothing used for a day, and what a failed step left: first what lies mounted over another."""
    for layer in sorted((CACHE / "layers").iterdir(), key=lambda layer: not os.path.ismount(layer)):
        if layer.suffix or time.time() - layer.stat().st_mtime > 24 * 3600:
            forget(layer)


def main():
    forget_old_layers()
    stages, stage = {}, None
    for name, arguments in instructions(DOCKERFILE.read_text()):
        options, arguments = split_options(arguments)
        if name == "FROM":
            image, *rest = arguments.split()
            stage = {"folder": "/", "env": {}, "layers": base_image(image), "settings": {}}
            stages[rest[-1] if rest else "last"] = stage
            say(f"FROM {arguments}")
        elif name == "COPY":
            copy(options, arguments.split(), stage, stages)
        elif name == "RUN":
            folder, environment = stage["folder"], stage["env"]
            stage["layers"].add(f"RUN {arguments} {folder} {environment}", lambda root: chrooted(root, arguments, folder, environment))
        elif name == "WORKDIR":
            stage["folder"] = arguments
            stage["layers"].add(f"WORKDIR {arguments}", lambda root: Path(str(root) + arguments).mkdir(parents=True, exist_ok=True))
        elif name == "ENV":
            stage["env"] |= pairs(arguments)
        elif name in ("ENTRYPOINT", "CMD"):
            stage["settings"][name] = json.loads(arguments)
        elif name in ("USER", "EXPOSE", "VOLUME", "LABEL", "ARG"):
            stage["settings"][name] = arguments
        else:
            sys.exit(f"unknown instruction {name}")
    root = stage["layers"].mount(CACHE / "root")
    print(json.dumps({"root": str(root), "key": stage["layers"].key, "env": stage["env"], **stage["settings"]}))


if __name__ == "__main__":
    # A run that is ended by its limit takes its mounts away with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"failed with {error.returncode}: {str(error.cmd[-1])[-400:]}")
