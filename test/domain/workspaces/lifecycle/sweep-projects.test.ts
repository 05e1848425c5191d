import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { containers, tasks } from "#src/db/schema/index.ts";
import { createContainer } from "#src/domain/workspaces/containers/index.ts";
import { requestStart, requestStop, sweepProjects } from "#src/domain/workspaces/lifecycle/index.ts";
import { touchProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { containerDeps } from "#test/support/container-deps.ts";
import { fileDatabase } from "#test/support/database.ts";
import { storeTask } from "#test/support/stored-task.ts";
import { newWorkshop } from "./workshop.ts";

const database = await fileDatabase();

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

/** A running project that was last used two hours ago. */
async function openIdle() {
  const project = await newWorkshop(database.db);
  await requestStart(project.deps, project.caller, project.id);
  await project.deliver();
  await project.change({ startedAt: minutesAgo(120), lastActivity: minutesAgo(120) });
  return project;
}

type Workshop = Awaited<ReturnType<typeof newWorkshop>>;

const sweep = ({ deps }: Workshop) => sweepProjects(deps);
const warnings = ({ notices }: Workshop) =>
  notices.filter((notice) => "type" in notice && notice.type === "idle_warning");

describe("a running project that is not used", () => {
  it("is warned of once, and hibernated when the grace is over", async () => {
    const project = await openIdle();
    await sweep(project);
    await sweep(project);
    expect(warnings(project)).toMatchObject([{ minutes_until_shutdown: 5 }]);
    expect(await project.row()).toMatchObject({ status: "running", wanted: null });
    await project.change({ idleWarnedAt: minutesAgo(6) });
    await sweep(project);
    await project.deliver();
    expect(await project.row()).toMatchObject({ status: "hibernated", wanted: null, idleWarnedAt: null });
    expect(project.notices.at(-1)).toMatchObject({ type: "environment_stopped", reason: "idle" });
  });

  it("goes on running when it is used after the warning", async () => {
    const project = await openIdle();
    await sweep(project);
    await project.change({ idleWarnedAt: minutesAgo(6) });
    await touchProject(database.db, project.id);
    await sweep(project);
    expect(await project.row()).toMatchObject({ status: "running", wanted: null, idleWarnedAt: null });
  });

  it("is neither warned nor hibernated while it is always on", async () => {
    const project = await openIdle();
    await project.change({ deployedAt: new Date() });
    await sweep(project);
    expect(warnings(project)).toEqual([]);
    // Warned before it was always on.
    await project.change({ idleWarnedAt: minutesAgo(6) });
    await sweep(project);
    expect(await project.row()).toMatchObject({ status: "running", wanted: null });
    await project.change({ deployedAt: null });
    await sweep(project);
    await project.deliver();
    expect(await project.row()).toMatchObject({ status: "hibernated" });
  });

  it.each(["queued", "running"] as const)(
    "is not idle while a task of an agent is %s in it",
    async (status) => {
      const project = await openIdle();
      const user = { id: project.caller.userId, defaultTeamId: (await project.row()).teamId };
      const { taskId } = await storeTask(database.db, user, { status });
      await database.db.update(tasks).set({ projectId: project.id }).where(eq(tasks.id, taskId));
      await project.change({ idleWarnedAt: minutesAgo(6) });
      await sweep(project);
      expect(warnings(project)).toEqual([]);
      expect(await project.row()).toMatchObject({ status: "running", wanted: null, idleWarnedAt: null });
    },
  );

  it("is not idle while a terminal is open in it", async () => {
    const project = await openIdle();
    await project.openTerminal();
    await sweep(project);
    expect(warnings(project)).toEqual([]);
  });

  it("is left running where that is configured", async () => {
    const project = await openIdle();
    await sweepProjects({ ...project.deps, config: { ...project.deps.config, PROJECT_IDLE_MINUTES: 0 } });
    expect(await project.row()).toMatchObject({ status: "running", idleWarnedAt: null });
  });
});

/** A project with a program that was running when the environment was started anew. */
async function openLost(startProcess: () => Promise<void>) {
  const project = await newWorkshop(database.db);
  const { db } = project.deps;
  const wish = { name: "web", startupCommand: "run web" };
  const { container } = await createContainer(containerDeps(project.deps), project.caller, project.id, wish);
  await requestStart(project.deps, project.caller, project.id);
  await project.deliver();
  const runtime = { ...project.runtime, runsProcesses: true, startProcess };
  const deps = { ...project.deps, workspaces: { runtime: () => runtime } };
  const stored = async () => {
    const [row] = await db.select().from(containers).where(eq(containers.id, container.id));
    return row;
  };
  const settleAgain = () => project.deliver(deps);
  return { ...project, deps, stored, settleAgain };
}

describe("a running project whose environment died", () => {
  it("has its programs started again", async () => {
    const started: string[] = [];
    const project = await openLost(async () => void started.push("web"));
    expect(await project.stored()).toMatchObject({ status: "running" });
    await sweep(project);
    expect(await project.row()).toMatchObject({ status: "running", wanted: "running" });
    expect(await project.stored()).toMatchObject({ status: "starting" });
    await project.settleAgain();
    expect(started).toEqual(["web"]);
    expect(await project.row()).toMatchObject({ status: "running", wanted: null });
  });

  it("still says that it could not be stopped", async () => {
    const project = await openLost(async () => undefined);
    await requestStop(project.deps, project.caller, project.id);
    const stopProcesses = () => Promise.reject(new AppError("conflict", project.id));
    const runtime = { ...project.runtime, stopProcesses };
    const error = expect.stringContaining("could not be hibernated");
    await project.settle({ workspaces: { runtime: () => runtime } });
    expect(await project.row()).toMatchObject({ status: "running", wanted: null, error });
    await database.db
      .update(containers)
      .set({ status: "running" })
      .where(eq(containers.projectId, project.id));
    await sweep(project);
    await project.settleAgain();
    expect(await project.row()).toMatchObject({ status: "running", wanted: null, error });
  });

  it("says why, and is left alone, when they cannot be started", async () => {
    const project = await openLost(async () => {
      throw new AppError("unavailable", "The machine is full");
    });
    await sweep(project);
    await project.settleAgain();
    expect(await project.row()).toMatchObject({
      wanted: null,
      error: expect.stringContaining("machine is full"),
    });
    expect(await project.stored()).toMatchObject({ status: "failed", error: expect.any(String) });
    await sweep(project);
    expect(await project.row()).toMatchObject({ wanted: null });
  });
});
