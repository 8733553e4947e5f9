using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["local"])),
  ],
);

const worker :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "worker.bundle.js"),
    (name = "meeting.mp3", data = embed "meeting.mp3"),
    (name = "meeting.pcm", data = embed "meeting.pcm"),
  ],
  bindings = [(name = "SETTINGS", fromEnvironment = "SETTINGS")],
  compatibilityDate = "2026-11-01",
);
