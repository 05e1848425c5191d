import { describe, expect, it } from "vitest";
import { takeSnapshot } from "#src/domain/workspaces/archives/index.ts";
import {
  beginAnew,
  hibernateBeforeEnd,
  requestStart,
  requestStop,
  sweepProjects,
} from "#src/domain/workspaces/lifecycle/index.ts";
import { wantHibernated } from "#src/domain/workspaces/lifecycle/queries/wishes.ts";
import { parseRepositoryUrl, recordCloned } from "#src/domain/source-control/repositories/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { fileDatabase } from "#test/support/database.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { GIT_HOSTS } from "#test/support/no-git-hosts.ts";
import { partOf } from "#test/support/part-of.ts";
import { newLivingProject } from "./living-project.ts";

const database = await fileDatabase();

const open = () => newLivingProject(database);

const LOSS =
  "The project's container ended unexpectedly before there was a snapshot of its files. Choose whether the project starts empty or from its repository";

async function openLost() {
  const project = await open();
  project.lose();
  await project.read().catch(() => undefined);
  await project.delivered();
  return project;
}

describe("a project whose container was lost before its first snapshot", () => {
  it("says so once, and to each caller at once from then on", async () => {
    const project = await open();
    project.lose();
    const refusal = { code: "conflict", message: LOSS, extra: { code: "files_lost" } };
    expect(await project.read().catch((error: unknown) => error)).toMatchObject(refusal);
    await project.delivered();
    const lost = { status: "stopped", wanted: null, error: LOSS, lostAt: expect.any(Date) };
    expect(await project.row()).toMatchObject(lost);
    expect([project.errors, project.published]).toMatchObject([{ length: 1 }, { length: 1 }]);
    const calls = [
      project.read,
      () => requestStart(project.deps, project.caller, project.id),
      () => requestStop(project.deps, project.caller, project.id),
    ];
    for (const call of calls) {
      expect(await project.cost(call)).toMatchObject({ end: refusal, db: 1, published: 0 });
    }
    expect(project.errors).toHaveLength(1);
  });

  it("is noticed when it is put to sleep, and then left alone", async () => {
    const project = await open();
    project.lose();
    await wantHibernated(database.db, project.id);
    await project.settle();
    expect(await project.row()).toMatchObject({ status: "stopped", error: LOSS, lostAt: expect.any(Date) });
    await project.pass(120);
    await sweepProjects(project.deps);
    expect(await project.row()).toMatchObject({ wanted: null, idleWarnedAt: null, saveAskedAt: null });
  });

  it("starts empty where a person wants that, and is as any other then", async () => {
    const project = await openLost();
    const again = () => beginAnew(project.deps, project.caller, { project: project.id, from: "empty" });
    expect(await project.cost(again)).toMatchObject({ published: 1 });
    await project.delivered();
    const begun = { status: "stopped", wanted: null, error: null, lostAt: null, setUpAt: expect.any(Date) };
    expect(await project.row()).toMatchObject(begun);
    expect(await project.read()).toBeUndefined();
    await expect(again()).rejects.toMatchObject({ code: "conflict", message: /has its files/u });
  });

  it("starts from its repository where a person wants that", async () => {
    const project = await openLost();
    const clones: unknown[] = [];
    const runtime = {
      ...project.runtime,
      git: async (name: string, input: unknown) => {
        clones.push({ name, input, storage: await project.runtime.storageState() });
        await project.write("cloned");
        return { branch: "trunk", commitSha: null };
      },
    };
    const again = () => beginAnew(project.deps, project.caller, { project: project.id, from: "repository" });
    await expect(again()).rejects.toMatchObject({ code: "conflict", message: /no repository/u });
    await recordCloned(database.db, {
      projectId: project.id,
      userId: project.caller.userId,
      address: parseRepositoryUrl("https://git.test/people/app"),
      branch: "trunk",
      commitSha: null,
    });
    project.deps.queue.publish = async () => undefined;
    await again();
    const workspaces = { runtime: () => partOf<ProjectRuntime>(runtime) };
    await project.settle({ workspaces, gitHosts: GIT_HOSTS });
    const input = { branch: "trunk", remote: { url: "https://git.test/people/app" } };
    expect(clones).toMatchObject([{ name: "clone", input, storage: { state: "present" } }]);
    expect(await project.row()).toMatchObject({ status: "stopped", error: null, lostAt: null });
    expect(await project.text("a.txt")).toBe("cloned");
  });

  it("may start another way when that way has failed", async () => {
    const project = await openLost();
    await project.change({ status: "failed", lostAt: null, error: "The project could not be set up" });
    await beginAnew(project.deps, project.caller, { project: project.id, from: "empty" });
    await project.delivered();
    expect(await project.row()).toMatchObject({ status: "stopped", error: null });
  });
});

/** Its files are in a snapshot that is not there for now. */
async function openUnreachable() {
  const project = await open();
  await takeSnapshot(project.deps, project.runtime, { projectId: project.id, role: "checkpoint", label: "" });
  project.lose();
  const replaceEntries = project.runtime.replaceEntries.bind(project.runtime);
  let isBroken = true;
  project.runtime.replaceEntries = async (...given) => {
    if (isBroken) throw new AppError("unavailable", "The archive does not answer");
    return replaceEntries(...given);
  };
  const repair = () => void (isBroken = false);
  return { ...project, repair };
}

it("a project whose container is about to end is moved into a snapshot, also when that is told twice, and comes back", async () => {
  const project = await open();
  await project.write("kept");
  await hibernateBeforeEnd(project.deps, project.id);
  await hibernateBeforeEnd(project.deps, project.id);
  await project.delivered();
  expect(await project.row()).toMatchObject({ status: "hibernated", wanted: null, error: null });
  expect(await project.read()).toBe("kept");
});

describe("a project that cannot be woken", () => {
  const failure = {
    code: "unavailable",
    message: "The project could not be woken: The archive does not answer",
  };
  const FEW = 6;

  it("costs a request little, and is woken once for all that ask at the same time", async () => {
    const project = await openUnreachable();
    // Only the wakes count: the retries of an executor are its own.
    const wakes: QueueMessage[] = [];
    const { publish } = project.deps.queue;
    project.deps.queue.publish = async (message) => {
      if (message.delaySeconds === undefined) wakes.push(message);
      return publish(message);
    };
    const ends = await Promise.all([1, 2, 3].map(() => project.read().catch((error: unknown) => error)));
    await project.delivered();
    for (const end of ends) expect(end).toMatchObject(failure);
    expect(wakes).toHaveLength(1);
    for (let times = 0; times < 3; times += 1) {
      const told = await project.cost(project.read);
      expect(told).toMatchObject({
        end: { ...failure, retryAfterSeconds: expect.any(Number) },
        published: 0,
      });
      expect(told.db).toBeLessThanOrEqual(FEW);
    }
    expect(project.errors).toHaveLength(1);
  });

  it("is tried again after a pause, and at once when a person starts it", async () => {
    const project = await openUnreachable();
    const another = await openUnreachable();
    for (const each of [project, another]) {
      await each.read().catch(() => undefined);
      await each.delivered();
      each.repair();
    }
    expect(await project.cost(project.read)).toMatchObject({ end: failure, published: 0 });
    await project.pass(2);
    expect(await project.read()).toBe("a");
    await requestStart(another.deps, another.caller, another.id);
    await another.delivered();
    expect(await another.read()).toBe("a");
  });
});
