import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { containers as table } from "#src/db/schema/index.ts";
import {
  containersOf,
  createConnection,
  createContainer,
  refreshContainers,
  setContainersWanted,
  startContainers,
  stopContainers,
  updateContainer,
  type ContainerInput,
} from "#src/domain/workspaces/containers/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ProcessSpec } from "#src/platform/runtime/project-processes.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { containerDeps } from "#test/support/container-deps.ts";
import { newColleague, newProject } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";

const database = await fileDatabase();
const owner = await newColleague(database.db);
const secrets = createSecrets("a-secret-key-for-tests-of-32-characters");

/** What a program does, by its command. */
interface Script {
  /** Milliseconds after which its port answers; never when absent. */
  listensAfter?: number;
  /** Milliseconds after which it ends, with this exit code and these last words. */
  ends?: { after: number; exitCode: number; words: string[] };
}

/** Programs on a clock that only moves while the service waits. */
class ScriptedRuntime extends MemoryRuntime {
  readonly runsProcesses: boolean = true;
  readonly started: { name: string; spec: ProcessSpec }[] = [];
  readonly stopped: string[] = [];
  readonly scripts: Record<string, Script>;
  #now = 0;
  readonly #running = new Map<string, { spec: ProcessSpec; startedAt: number }>();
  /** What those before the newest of a name have written. */
  readonly #earlier = new Map<string, string[]>();

  constructor(scripts: Record<string, Script>, files: Record<string, string> = {}) {
    super(files, (command) => ({ stdout: `ran ${command}`, stderr: "", exitCode: 3, timedOut: false }));
    this.scripts = scripts;
  }

  readonly pace = {
    now: () => this.#now,
    wait: async (ms: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      this.#now += ms;
    },
  };

  pass(ms: number) {
    this.#now += ms;
  }

  async startProcess(name: string, spec: ProcessSpec) {
    this.started.push({ name, spec });
    this.#earlier.set(name, await this.readLog(name, Infinity));
    this.#running.set(name, { spec, startedAt: this.#now });
  }

  async stopProcess(name: string) {
    this.stopped.push(name);
    this.#running.delete(name);
  }

  async processes() {
    return [...this.#running].map(([name, { spec, startedAt }]) => {
      const { ends } = this.scripts[spec.command] ?? {};
      const hasEnded = ends !== undefined && this.#now - startedAt >= ends.after;
      return { name, running: !hasEnded, exitCode: hasEnded ? ends.exitCode : null, startedAt };
    });
  }

  async readLog(name: string, lines: number, { ofLastRun } = { ofLastRun: false }) {
    const command = this.#running.get(name)?.spec.command ?? "";
    const words = this.scripts[command]?.ends?.words ?? [];
    return [...(ofLastRun ? [] : (this.#earlier.get(name) ?? [])), ...words].slice(-lines);
  }

  async listensOn(name: string, port: number) {
    const running = this.#running.get(name);
    const { listensAfter = Infinity } = this.scripts[running?.spec.command ?? ""] ?? {};
    return running?.spec.env?.["PORT"] === String(port) && this.#now - running.startedAt >= listensAfter;
  }

  async fetchPort(port: number) {
    const listener = [...this.#running.values()].find(({ spec }) => spec.env?.["PORT"] === String(port));
    const { listensAfter = Infinity } = this.scripts[listener?.spec.command ?? ""] ?? {};
    if (!listener || this.#now - listener.startedAt < listensAfter) {
      throw new AppError("unavailable", "Nobody listens");
    }
    return new Response("hello");
  }
}

async function newScene() {
  const { db } = database;
  const project = await newProject(db, owner);
  const deps = containerDeps({ db, secrets });
  const add = async (container: ContainerInput) =>
    (await createContainer(deps, owner.caller, project.id, container)).container;
  const connect = (sourceId: string, targetId: string, config = {}) =>
    createConnection(deps, owner.caller, project.id, { sourceId, targetId, label: null, config });
  const stored = async (id: string) => (await containersOf(db, project.id)).find((each) => each.id === id);
  const start = (runtime: ScriptedRuntime, options = {}) =>
    startContainers({ ...deps, pace: runtime.pace }, project, runtime, options);
  return { ...deps, project, add, connect, stored, start };
}

describe("starting the containers of a project", () => {
  it("starts each after those it uses, tells it where they are, and gives everyone a port of its own", async () => {
    const { add, connect, stored, start } = await newScene();
    const apps = { api: { start: "run api", exports: { API_VERSION: "2" } } };
    const runtime = new ScriptedRuntime(
      { "run web": { listensAfter: 500 }, "run api": { listensAfter: 4000 } },
      { ".workspace/config.json": JSON.stringify({ primaryApp: "api", apps }) },
    );
    const web = await add({ name: "web", startupCommand: "run web", port: 3000, env: { OWN: "value" } });
    const api = await add({ name: "api", startupCommand: "run api", port: 3000 });
    const mail = await add({
      name: "Mail",
      deploymentMode: "external",
      externalEndpoint: "https://mail.example:8443/v1",
      credentials: { MAIL_TOKEN: "mail-secret" },
    });
    await connect(web.id, api.id, { env_mapping: { BACKEND: "URL" } });
    await connect(web.id, mail.id);

    const progress: string[] = [];
    const onProgress = (text: string) => void progress.push(text);
    const outcomes = await start(runtime, { onProgress });
    expect(outcomes.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { id: mail.id, name: "Mail", status: "connected", error: null },
      { id: api.id, name: "api", status: "running", error: null },
      { id: web.id, name: "web", status: "running", error: null },
    ]);
    expect(progress).toEqual(["Starting api", "Starting web"]);
    expect(runtime.started.map(({ name }) => name)).toEqual([api.id, web.id]);
    const [apiStart, webStart] = runtime.started;
    expect(apiStart?.spec).toEqual({ command: "run api", cwd: "api", env: { PORT: "3001" } });
    expect(webStart?.spec.env).toEqual({
      API_HOST: "localhost",
      API_PORT: "3001",
      API_URL: "http://localhost:3001",
      API_VERSION: "2",
      BACKEND: "http://localhost:3001",
      MAIL_HOST: "mail.example",
      MAIL_PORT: "8443",
      MAIL_URL: "https://mail.example:8443/v1",
      MAIL_TOKEN: "mail-secret",
      OWN: "value",
      PORT: "3000",
    });
    expect(await stored(api.id)).toMatchObject({ status: "running", internalPort: 3001, port: 3000 });

    await start(runtime);
    expect(runtime.started).toHaveLength(2);
  });

  it("says what a program that ends at once wrote last, without its variables, and starts the others", async () => {
    const { add, stored, start } = await newScene();
    const words = ["starting", "cannot log in with hunter2-hunter2"];
    const runtime = new ScriptedRuntime({
      broken: { ends: { after: 100, exitCode: 1, words } },
      fine: { listensAfter: 0 },
    });
    const env = { PASSWORD: "hunter2-hunter2" };
    const broken = await add({ name: "broken", startupCommand: "broken", env });
    const fine = await add({ name: "fine", startupCommand: "fine" });
    const error = "The program ended with 1:\nstarting\ncannot log in with ***";
    // The second time nothing of what the first run wrote is repeated.
    for (const _time of ["first", "second"]) {
      await start(runtime);
      expect(await stored(broken.id)).toMatchObject({ status: "failed", error });
    }
    expect(runtime.started.filter(({ name }) => name === broken.id)).toHaveLength(2);
    expect(await stored(fine.id)).toMatchObject({ status: "running", error: null });
  });

  it("gives no program a port that its runtime uses itself, whatever is stored", async () => {
    const { add, stored, start } = await newScene();
    const web = await add({ name: "web", startupCommand: "run web", port: 3000 });
    const runtime = new ScriptedRuntime({ "run web": { listensAfter: 0 } });
    await start(Object.assign(runtime, { reservedPorts: [3000, 3001] }));
    expect(runtime.started[0]?.spec.env?.["PORT"]).toBe("3002");
    expect(await stored(web.id)).toMatchObject({ status: "running", port: 3000, internalPort: 3002 });
  });

  it("notes of one that runs that it does not listen on its port, and takes no other program's for it", async () => {
    const { add, stored, start } = await newScene();
    const [mute, stranger] = [
      await add({ name: "mute", startupCommand: "mute", port: 4000 }),
      await add({ name: "stranger", startupCommand: "serve" }),
    ];
    const runtime = new ScriptedRuntime({ mute: {}, serve: { listensAfter: 0 } });
    // It listens where it was not told to, or is no program of the project at all.
    runtime.fetchPort = async () => new Response("hello");
    await start(runtime);
    expect(await stored(stranger.id)).toMatchObject({ status: "running", error: null });
    const error = "The program runs, but does not listen on port 4000 (PORT)";
    expect(await stored(mute.id)).toMatchObject({ status: "running", error });
  });

  it("builds first where there is no output yet, and does not start what cannot be built", async () => {
    const { add, stored, start } = await newScene();
    const input = {
      startupCommand: "serve",
      buildCommand: "make",
      outputDirectory: "dist",
      directory: "site",
    };
    const built = await add({ ...input, name: "built" });
    const runtime = new ScriptedRuntime({ serve: { listensAfter: 0 } }, { "site/dist/index.html": "hello" });
    await start(runtime);
    expect(await stored(built.id)).toMatchObject({ status: "running" });
    const unbuilt = await add({ ...input, name: "unbuilt", directory: "other" });
    await start(runtime, { only: [unbuilt.id] });
    expect(await stored(unbuilt.id)).toMatchObject({
      status: "failed",
      error: "The build ended with 3:\nran make",
    });
  });

  it("starts nothing but what is wanted, and shows the files of one without a command", async () => {
    const { db, project, add, stored, start } = await newScene();
    const [site, off, postgres] = [
      await add({ name: "site" }),
      await add({ name: "off", startupCommand: "off" }),
      await add({ name: "postgres", containerType: "service", image: "postgres:17" }),
    ];
    await setContainersWanted({ db }, project.id, false, [off.id]);
    const runtime = new ScriptedRuntime({ off: { listensAfter: 0 } });
    await start(runtime);
    expect(await stored(site.id)).toMatchObject({ status: "running", error: null });
    expect(await stored(off.id)).toMatchObject({ status: "stopped" });
    expect(await stored(postgres.id)).toMatchObject({ status: "failed" });
    expect(runtime.started).toEqual([]);
  });

  it("says that the command of one is not run where no programs run, and shows its files", async () => {
    const { add, stored, start } = await newScene();
    const web = await add({ name: "web", startupCommand: "run web" });
    const runtime = Object.assign(new ScriptedRuntime({}), { runsProcesses: false });
    await start(runtime);
    const error =
      "No programs run in projects here: the container serves its files, and its command is not run";
    expect(await stored(web.id)).toMatchObject({ status: "running", error });
    expect(runtime.started).toEqual([]);
  });

  it("begins somewhere where containers use one another in a circle", async () => {
    const { add, connect, start } = await newScene();
    const runtime = new ScriptedRuntime({ one: { listensAfter: 0 }, two: { listensAfter: 0 } });
    const one = await add({ name: "one", startupCommand: "one" });
    const two = await add({ name: "two", startupCommand: "two" });
    await connect(one.id, two.id);
    await connect(two.id, one.id);
    expect((await start(runtime)).map(({ status }) => status)).toEqual(["running", "running"]);
  });

  it("writes nothing about a container that was stopped meanwhile, and ends when it is told to", async () => {
    const { db, project, add, stored, start } = await newScene();
    const slow = await add({ name: "slow", startupCommand: "slow" });
    const runtime = new ScriptedRuntime({ slow: { listensAfter: 10_000 } });
    runtime.fetchPort = async () => {
      await stopContainers({ db }, project, runtime);
      return new Response("hello");
    };
    await start(runtime);
    expect(await stored(slow.id)).toMatchObject({ status: "stopped", startedAt: null });
    const signal = AbortSignal.abort(new Error("superseded"));
    await expect(start(runtime, { signal })).rejects.toThrow("superseded");
  });
});

describe("containers that run", () => {
  it("stop, are seen when they have ended by themselves, and start again", async () => {
    const { db, project, add, start } = await newScene();
    const runtime = new ScriptedRuntime({
      steady: { listensAfter: 0 },
      crashing: { listensAfter: 0, ends: { after: 60_000, exitCode: 137, words: [] } },
      finishing: { listensAfter: 0, ends: { after: 60_000, exitCode: 0, words: [] } },
    });
    const names = ["steady", "crashing", "finishing"];
    for (const name of names) await add({ name, startupCommand: name });
    const statuses = async () => (await containersOf(db, project.id)).map(({ status }) => status);
    await start(runtime);
    await refreshContainers({ db }, project, runtime);
    expect(await statuses()).toEqual(["running", "running", "running"]);
    runtime.pass(60_000);
    await refreshContainers({ db }, project, runtime);
    expect(await statuses()).toEqual(["running", "failed", "stopped"]);
    await start(runtime);
    expect(await statuses()).toEqual(["running", "running", "running"]);
    // A runtime that knows nothing of them was started anew.
    await refreshContainers({ db }, project, new ScriptedRuntime({}));
    expect(await statuses()).toEqual(["starting", "starting", "starting"]);
    await stopContainers({ db }, project, runtime);
    expect(await statuses()).toEqual(["stopped", "stopped", "stopped"]);
    expect(runtime.stopped).toHaveLength(3);
    await stopContainers({ db }, project, runtime);
  });
});

it("changes of variables at the same time all take effect, and only names are stored in the clear", async () => {
  const { db, workspaces, project, add } = await newScene();
  const { id } = await add({ name: "api", env: { FIRST: "kept-value" } });
  const path = { project: project.id, container: id };
  const deps = { db, secrets, workspaces };
  const set = (name: string) =>
    updateContainer(deps, owner.caller, path, { setVariables: { [name]: `${name}-value` } });
  await Promise.all([set("A"), set("B"), set("C")]);
  await updateContainer(deps, owner.caller, path, { deleteVariables: ["B"] });
  const [row] = await db.select().from(table).where(eq(table.id, id));
  expect(row?.envKeys).toEqual(["A", "C", "FIRST"]);
  expect(JSON.stringify(row)).not.toContain("-value");
  expect(JSON.parse(await secrets.decrypt(row?.encryptedEnv ?? ""))).toEqual({
    A: "A-value",
    C: "C-value",
    FIRST: "kept-value",
  });
});

it("containers that are added at the same time get names and labels of their own", async () => {
  const { project, add } = await newScene();
  const made = await Promise.all([1, 2, 3, 4].map(() => add({ name: "My API" })));
  expect(made.map(({ label }) => label).toSorted()).toEqual(["my-api", "my-api-2", "my-api-3", "my-api-4"]);
  for (const { label } of made) expect(`${project.slug}--${label}`.length).toBeLessThanOrEqual(63);
});
