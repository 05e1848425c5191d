import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { repositories, shellSessions } from "#src/db/schema/index.ts";

import { snapshotsOf } from "#src/domain/workspaces/archives/queries.ts";
import { changeFiles } from "#src/domain/workspaces/files/index.ts";
import { requestStart, requestStopAll, sweepProjects } from "#src/domain/workspaces/lifecycle/index.ts";
import { cloneRepository, requestClone } from "#src/domain/workspaces/git/index.ts";
import { sweepSessions } from "#src/domain/workspaces/shells/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { executeJob } from "#src/work/execute.ts";
import { fileDatabase } from "#test/support/database.ts";
import { GIT_HOSTS } from "#test/support/no-git-hosts.ts";
import { newLivingProject, type LivingProject } from "./living-project.ts";

const database = await fileDatabase();

const IDLE_MINUTES = 60;
const GRACE_MINUTES = 5;

/** With a repository that has nothing. */
async function open() {
  const project = await newLivingProject(database);
  project.runtime.git = async () => ({ branch: "main", commitSha: null });
  return project;
}

const write = (project: LivingProject, text = "b") =>
  changeFiles(
    project.deps,
    { caller: project.caller, project: project.id, scope: "file.write" },
    async (runtime) => runtime.writeFile("a.txt", new TextEncoder().encode(text)),
  );

async function openTerminal(project: LivingProject) {
  await requestStart(project.deps, project.caller, project.id);
  await project.delivered();
  await project.openTerminal();
}

const gitDeps = ({ deps }: LivingProject) => ({
  ...deps,
  gitHosts: GIT_HOSTS,
  refusalOfUrl: () => undefined,
});

async function clone(project: LivingProject) {
  const access = { caller: project.caller, project: project.id };
  await requestClone(gitDeps(project), access, { url: "https://git.test/people/app" });
}

/** All ways in which a project's runtime comes up. Changes, commands, tasks, schedules, channels and deployments are as a read. */
const WAYS: Readonly<Record<string, (project: LivingProject) => Promise<unknown>>> = {
  "a read": (project) => project.read(),
  "a clone": async (project) => {
    await clone(project);
    await executeJob(gitDeps(project), cloneRepository, project.id);
    const ofProject = eq(repositories.projectId, project.id);
    const stored = await database.db.select().from(repositories).where(ofProject);
    expect(stored).toMatchObject([{ syncStatus: "cloned" }]);
  },
  "a start": async ({ deps, caller, id }) => requestStart(deps, caller, id),
  "a terminal": openTerminal,
  "a stop of what runs in it": async (project) => {
    await openTerminal(project);
    await requestStopAll(project.deps, project.caller, project.id);
  },
};

/** What happens every minute, when this much time has passed. */
async function sweepAfter(project: LivingProject, minutes: number) {
  await project.pass(minutes);
  await database.db
    .update(shellSessions)
    .set({ lastActivityAt: new Date(Date.now() - minutes * 60_000) })
    .where(eq(shellSessions.projectId, project.id));
  await sweepSessions({
    ...project.deps,
    workspaces: { runtime: () => ({ ...project.runtime, closeShell: async () => undefined }) },
    config: { SHELL_IDLE_MINUTES: 30, SHELL_MAX_HOURS: 8 },
  });
  await sweepProjects(project.deps);
  await project.delivered();
}

const isUp = async ({ runtime }: LivingProject) => (await runtime.storageState()).state !== "absent";

async function expectSleepAfterIdleTime(project: LivingProject) {
  await sweepAfter(project, IDLE_MINUTES - 10);
  expect(await isUp(project)).toBe(true);
  await sweepAfter(project, 11);
  await sweepAfter(project, GRACE_MINUTES + 1);
  expect(await isUp(project)).toBe(false);
}

describe("a forgotten project sleeps after its idle time, however it came up", () => {
  it.each(Object.entries(WAYS))("by %s", async (way, use) => {
    const project = await open();
    // A project that was never started is one that slept, for all that comes after.
    const times = way === "a read" ? ["never started", "asleep"] : ["never started"];
    for (const _time of times) {
      await use(project);
      await project.delivered();
      expect(await isUp(project)).toBe(true);
      await expectSleepAfterIdleTime(project);
      expect(await project.row()).toMatchObject({ status: "hibernated", wanted: null, error: null });
    }
  });

  it("by a setup that failed, and still says why", async () => {
    const project = await open();
    const error = "The project could not be set up: no such repository";
    await project.change({ status: "failed", setUpAt: null, error });
    await expectSleepAfterIdleTime(project);
    expect(await project.row()).toMatchObject({ status: "failed", wanted: null, error });
    project.published.length = 0;
    await sweepAfter(project, 1_000);
    expect(project.published).toEqual([]);
    // It can be set up after that.
    await requestStart(project.deps, project.caller, project.id);
    await project.delivered();
    expect(await project.row()).toMatchObject({ status: "running", hibernatedAt: null, error: null });
    expect(await isUp(project)).toBe(true);
  });

  it("and not while a repository is cloned into it", async () => {
    const project = await open();
    await clone(project);
    await sweepAfter(project, 61);
    await sweepAfter(project, 6);
    expect(await isUp(project)).toBe(true);
  });

  it("and is tried again an idle time after that has failed, with its reason shown", async () => {
    const project = await open();
    project.runtime.freeze = async () => {
      throw new AppError("conflict", "The disk does not answer");
    };
    await sweepAfter(project, 61);
    await sweepAfter(project, 6);
    expect(await project.row()).toMatchObject({ error: expect.stringContaining("does not answer") });
    expect(project.errors).toHaveLength(1);
    await sweepAfter(project, 50);
    expect(project.errors).toHaveLength(1);
    await sweepAfter(project, 11);
    await sweepAfter(project, 6);
    expect(project.errors).toHaveLength(2);
  });

  it("and stays as it is in the embedded runtime, which keeps nothing alive for it", async () => {
    const project = await open();
    const config = { ...project.deps.config, PROJECT_RUNTIME: "embedded" } as const;
    for (const minutes of [120, 120]) {
      await project.pass(minutes);
      await sweepProjects({ ...project.deps, config });
    }
    expect(await project.row()).toMatchObject({ status: "stopped", wanted: null, saveAskedAt: null });
  });
});

const taken = ({ id }: LivingProject) => snapshotsOf(database.db, id);

describe("a project that was used has a snapshot soon", () => {
  it("after its first change, and again when it has become quiet", async () => {
    const project = await open();
    await write(project);
    await sweepAfter(project, 0);
    const [first, ...none] = await taken(project);
    expect([first?.role, none]).toEqual(["automatic", []]);
    await write(project, "c");
    // Not while it is being used.
    await sweepAfter(project, 0);
    expect(await taken(project)).toMatchObject([{ hash: first?.hash }]);
    await sweepAfter(project, 2);
    // The newest is enough.
    const [second, ...others] = await taken(project);
    expect([second?.role, others]).toEqual(["automatic", []]);
    expect(second?.hash).not.toBe(first?.hash);
    // Nothing is asked while nobody uses it.
    project.published.length = 0;
    await sweepAfter(project, 5);
    expect(project.published).toEqual([]);
  });

  it("and none where nothing has changed, or there is nothing", async () => {
    const project = await open();
    await project.runtime.remove("a.txt", { recursive: false });
    await sweepAfter(project, 0);
    expect(await taken(project)).toEqual([]);
    await write(project);
    await sweepAfter(project, 2);
    const [first] = await taken(project);
    await write(project);
    await sweepAfter(project, 2);
    expect(project.published).toHaveLength(3);
    expect(await taken(project)).toMatchObject([{ hash: first?.hash }]);
  });

  it("and gets its files back from it when its container is lost", async () => {
    const project = await open();
    await write(project);
    await sweepAfter(project, 0);
    project.lose();
    expect(await project.read()).toBe("b");
    const error = /^The project's container ended unexpectedly: changes after its snapshot/u;
    expect((await project.row()).error).toMatch(error);
  });
});
