import { and, eq, sql } from "drizzle-orm";
import { jobs, projects, shellSessions } from "#src/db/schema/index.ts";
import { settleProject } from "#src/domain/workspaces/lifecycle/index.ts";
import type { Project } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { GitHosts } from "#src/platform/git-hosts/git-host.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { ProjectNotice } from "#src/platform/objects/project-notices.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type {
  EntryWithContent,
  ProjectStorage,
  StorageState,
} from "#src/platform/runtime/project-storage.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { executeJob } from "#src/work/execute.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { newColleague, newProject } from "#test/support/colleagues.ts";
import { memoryArchives } from "#test/domain/workspaces/archives/memory-archives.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { partOf } from "#test/support/part-of.ts";
import { keptQueue } from "#test/support/kept-queue.ts";

/** The calls of a runtime, in order, and hooks that make a call fail or wait: once per entry. */
export interface Script {
  calls: string[];
  before: Partial<Record<keyof ProjectStorage, () => Promise<void> | void>>;
  after: Partial<Record<keyof ProjectStorage, () => Promise<void> | void>>;
}

/** A project's files in memory, with the rules of `ProjectStorage` about who may move them. */
function memoryStorage(files: Record<string, string>): {
  runtime: ProjectRuntime;
  script: Script;
  lose: () => void;
  text: (path: string) => string | undefined;
} {
  let content = new MemoryRuntime(files);
  let current: StorageState = { state: "present", generation: 0 };
  const script: Script = { calls: [], before: {}, after: {} };
  const requireNewest = (generation: number) => {
    if (generation < current.generation) throw new AppError("conflict", "A newer generation moves them");
  };
  const requireFiles = () => {
    if (current.state === "absent") throw new AppError("asleep", "The project is hibernated");
  };
  const storage: ProjectStorage = {
    storageState: async () => current,
    freeze: async (generation) => {
      requireNewest(generation);
      requireFiles();
      current = { state: "frozen", generation };
    },
    thaw: async (generation) => {
      requireNewest(generation);
      requireFiles();
      current = { state: "present", generation };
    },
    discard: async (generation) => {
      if (current.state !== "frozen" || current.generation !== generation) {
        throw new AppError("conflict", "Not frozen under this generation");
      }
      content = new MemoryRuntime();
      current = { state: "absent", generation };
    },
    inventory: async () => {
      const listed = (await content.list("", { recursive: true })).filter(({ kind }) => kind === "file");
      return listed.map(({ path, size }) => {
        const fingerprint = content.text(path) ?? "";
        return { path, kind: "file", size, mode: 0o644, modifiedAt: 0, target: "", fingerprint };
      });
    },
    readEntries: async (paths) => timeless(await content.readEntries(paths)),
    replaceEntries: async (entries, generation = current.generation) => {
      requireNewest(generation);
      const next = new MemoryRuntime();
      for await (const { entry, content: body } of entries) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of body) chunks.push(chunk);
        if (entry.kind === "file") await next.writeFile(entry.path, Buffer.concat(chunks));
      }
      requireNewest(generation);
      content = next;
      current = { state: "present", generation };
    },
  };
  const once = async (hooks: Script["before"], name: keyof ProjectStorage) => {
    const hook = hooks[name];
    delete hooks[name];
    await hook?.();
  };
  const told = <Name extends keyof ProjectStorage>(name: Name): ProjectStorage[Name] => {
    const call = async (...given: unknown[]): Promise<unknown> => {
      script.calls.push(name);
      await once(script.before, name);
      const result: unknown = await Reflect.apply(storage[name], storage, given);
      await once(script.after, name);
      return result;
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The same function with something around it.
    return call as ProjectStorage[Name];
  };
  const runtime = partOf<ProjectRuntime>({
    ...filesOf(() => {
      requireFiles();
      return content;
    }),
    storageState: told("storageState"),
    freeze: told("freeze"),
    thaw: told("thaw"),
    discard: told("discard"),
    inventory: told("inventory"),
    readEntries: told("readEntries"),
    replaceEntries: told("replaceEntries"),
    runsProcesses: false,
    reservedPorts: [],
    listensOn: async () => false,
    stopProcess: async () => undefined,
    stopProcesses: async () => undefined,
    processes: async () => [],
    readLog: async () => [],
  });
  const lose = () => {
    content = new MemoryRuntime();
    current = { state: "absent", generation: current.generation, lost: true };
  };
  return { runtime, script, lose, text: (path) => content.text(path) };
}

/** As `inventory` names them: a file that is written again with the same text is the same. */
async function* timeless(entries: AsyncIterable<EntryWithContent>): AsyncGenerator<EntryWithContent> {
  for await (const { entry, content } of entries) yield { entry: { ...entry, modifiedAt: 0 }, content };
}

/** The part of a runtime that the files in memory have, of whichever files are there at the time. */
function filesOf(content: () => MemoryRuntime) {
  return {
    stat: async (path: string) => content().stat(path),
    list: async (path: string, options: { recursive: boolean }) => content().list(path, options),
    readFile: async (path: string) => content().readFile(path),
    writeFile: async (path: string, bytes: Uint8Array) => content().writeFile(path, bytes),
    readStream: async (path: string) => content().readStream(path),
    writeStream: async (path: string, body: ReadableStream<Uint8Array>, limit: number) =>
      content().writeStream(path, body, limit),
    makeDirectory: async (path: string) => content().makeDirectory(path),
    rename: async (from: string, to: string) => content().rename(from, to),
    remove: async (path: string, options: { recursive: boolean }) => content().remove(path, options),
    readTodos: async (chatId: string) => content().readTodos(chatId),
    writeTodos: async (chatId: string, todos: string) => content().writeTodos(chatId, todos),
  };
}

/** A project with files, and all that brings it from one state to another. */
export async function newWorkshop(db: Db, files: Record<string, string> = { "a.txt": "a" }) {
  const { caller } = await newColleague(db);
  const { id } = await newProject(db, { caller });
  const { runtime, script, lose, text } = memoryStorage(files);
  const published: QueueMessage[] = [];
  const notices: ProjectNotice[] = [];
  const secrets = createSecrets("a-secret-key-for-tests-of-32-characters");
  const deps = {
    db,
    log: createLog(),
    queue: keptQueue(published).queue,
    workspaces: { runtime: () => runtime },
    archives: memoryArchives(),
    secrets,
    deploymentSecrets: secrets,
    gitHosts: partOf<GitHosts>({}),
    notices: {
      send: async (_: string, notice: ProjectNotice): Promise<void> => void notices.push(notice),
      taskBegan: async () => {},
    },
    config: {
      MAX_SNAPSHOTS_PER_PROJECT: 20,
      SNAPSHOT_RETENTION_DAYS: 30,
      GIT_CLONE_TIMEOUT_SECONDS: HANGS_MS / 1_000,
      PROJECT_RUNTIME: "sandbox" as const,
      PROJECT_IDLE_MINUTES: 60,
      PROJECT_IDLE_GRACE_MINUTES: 5,
      TIER_MAX_DEPLOYS_FREE: 1,
      TIER_MAX_DEPLOYS_BASIC: 3,
      TIER_MAX_DEPLOYS_PRO: 5,
      TIER_MAX_DEPLOYS_ULTRA: 20,
    },
  };
  const row = async (): Promise<Project> => {
    const [found] = await db.select().from(projects).where(eq(projects.id, id));
    if (!found) throw new Error("The project is gone");
    return found;
  };
  // A clone into the project is a job of the same key.
  const ofProject = and(eq(jobs.kind, settleProject.name), eq(jobs.key, id));
  /** Execute the job, as if the pause after an attempt that failed were over. */
  async function settle(others: Partial<Parameters<typeof settleProject.run>[0]> = {}): Promise<void> {
    await db
      .update(jobs)
      .set({ dueAt: sql`now()` })
      .where(ofProject);
    await executeJob({ ...deps, ...others }, settleProject, id);
  }
  return {
    id,
    caller,
    deps,
    runtime,
    script,
    /** Lose the files, as a platform may when it ends a container. */
    lose,
    published,
    notices,
    row,
    text: async (path: string) => text(path),
    change: (values: Partial<Project>) => db.update(projects).set(values).where(eq(projects.id, id)),
    openTerminal: () =>
      db.insert(shellSessions).values({
        id: crypto.randomUUID(),
        projectId: id,
        userId: caller.userId,
        command: "/bin/bash",
        workingDir: "/app",
        status: "active",
      }),
    settle,
    /** Deliver what is published, until nothing more is. */
    async deliver(others: Parameters<typeof settle>[0] = {}) {
      while (published.splice(0).length > 0) await settle(others);
    },
    job: async () => (await db.select().from(jobs).where(ofProject))[0],
    /** So many executors of the job have died, the last one without a further renewal of its lease. */
    async die(attempts: number) {
      await db
        .update(jobs)
        .set({ attempts, leaseUntil: sql`now()`, generation: sql`nextval('job_generations')` })
        .where(ofProject);
    },
  };
}
