import { afterEach, describe, expect, it, vi } from "vitest";
import { latestSnapshot, takeSnapshot } from "#src/domain/workspaces/archives/index.ts";
import { containersOf, createContainer } from "#src/domain/workspaces/containers/index.ts";
import {
  awakeRuntime,
  beginAnew,
  requestStart,
  requestStop,
  requestStopAll,
  settleProject,
  startContainer,
} from "#src/domain/workspaces/lifecycle/index.ts";
import { cancelSetUp } from "#src/domain/workspaces/lifecycle/queries/wishes.ts";
import { volumeStatus } from "#src/domain/workspaces/snapshots/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { executeJob } from "#src/work/execute.ts";
import { containerDeps } from "#test/support/container-deps.ts";
import { fileDatabase } from "#test/support/database.ts";
import { newWorkshop } from "./workshop.ts";

const database = await fileDatabase();

afterEach(() => void vi.useRealTimers());

type Workshop = Awaited<ReturnType<typeof newWorkshop>>;

const open = () => newWorkshop(database.db);
const start = ({ deps, caller, id }: Workshop) => requestStart(deps, caller, id);
const stop = ({ deps, caller, id }: Workshop) => requestStop(deps, caller, id);
async function wake(project: Workshop): Promise<void> {
  await start(project);
  await project.deliver();
}
async function sleep(project: Workshop): Promise<void> {
  await stop(project);
  await project.deliver();
}

const crash = () => {
  throw new AppError("unavailable", "The runtime did not answer");
};

describe("a project", () => {
  it("goes through a snapshot and comes back from it, and those who have it open are told", async () => {
    const project = await open();
    const told = () => {
      const notices = project.notices.splice(0);
      return new Set(notices.flatMap((each) => ("container_status" in each ? [each.container_status] : [])));
    };
    await sleep(project);
    expect(await project.row()).toMatchObject({
      status: "hibernated",
      wanted: null,
      progress: null,
      hibernatedAt: expect.any(Date),
    });
    expect(project.notices).toContainEqual(expect.objectContaining({ type: "environment_stopped" }));
    expect(told()).toEqual(new Set(["stopping"]));
    expect(await project.text("a.txt")).toBeUndefined();
    await wake(project);
    expect(await project.row()).toMatchObject({ status: "running", hibernatedAt: null, error: null });
    expect(await project.text("a.txt")).toBe("a");
    expect(told()).toEqual(new Set(["starting"]));
  });

  it("is started, stopped and woken within its budget of round trips", async () => {
    // The renewal of the job's lease would be one more.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const project = await open();
    const trips = async (request: () => Promise<unknown>) => {
      await request();
      const before = database.trips.db;
      await executeJob(project.deps, settleProject, project.id);
      return database.trips.db - before;
    };
    expect({
      start: await trips(() => start(project)),
      stop: await trips(() => stop(project)),
      wake: await trips(() => start(project)),
      end: await trips(() => requestStopAll(project.deps, project.caller, project.id)),
    }).toEqual({ start: 5, stop: 9, wake: 9, end: 4 });
  });

  it("that is stopped twice at once is hibernated once, and nothing is left to do", async () => {
    const project = await open();
    await stop(project);
    project.script.after.discard = async () => void (await stop(project));
    await project.deliver();
    expect(await project.row()).toMatchObject({ status: "hibernated", wanted: null });
    expect(project.script.calls.filter((call) => call === "discard")).toHaveLength(1);
    expect(await project.job()).toBeUndefined();
  });

  it("also starts the container that is asked for while another one is being started", async () => {
    const project = await open();
    const make = async (name: string) => {
      const wish = { name, startupCommand: "run" };
      const { container } = await createContainer(
        containerDeps(project.deps),
        project.caller,
        project.id,
        wish,
      );
      return { project: project.id, container: container.id };
    };
    const [first, second] = [await make("first"), await make("second")];
    await startContainer(project.deps, project.caller, first);
    project.deps.notices.send = async (_, notice) => {
      const isMoment = "phase" in notice && notice.phase === "Starting first";
      if (isMoment) await startContainer(project.deps, project.caller, second);
    };
    await project.deliver();
    expect(await project.row()).toMatchObject({ status: "running", wanted: null });
    const running = { status: "running" };
    expect(await containersOf(project.deps.db, project.id)).toMatchObject([running, running]);
  });

  it("whose setup is cancelled is left as it is by the executor that has begun it", async () => {
    const project = await open();
    await project.change({ status: "failed", setUpAt: null });
    await beginAnew(project.deps, project.caller, { project: project.id, from: "empty" });
    project.deps.notices.send = () => cancelSetUp(project.deps.db, project.id);
    await project.deliver();
    const error = "The setup was cancelled";
    expect(await project.row()).toMatchObject({ status: "failed", wanted: null, setUpAt: null, error });
    expect(await project.job()).toBeUndefined();
  });

  it("keeps its files when it is started while it is being stopped", async () => {
    const project = await open();
    await stop(project);
    project.script.after.inventory = async () => void (await start(project));
    await project.deliver();
    expect(project.script.calls).not.toContain("discard");
    expect(await project.row()).toMatchObject({ status: "running", wanted: null });
    expect(await project.text("a.txt")).toBe("a");
    expect(await project.runtime.storageState()).toMatchObject({ state: "present" });
  });

  it("is hibernated when it is stopped while it is being started", async () => {
    const project = await open();
    await start(project);
    project.script.after.thaw = async () => void (await stop(project));
    await project.deliver();
    expect(await project.row()).toMatchObject({ status: "hibernated", wanted: null });
  });

  it("is as it was asked last when what was asked first fails for good meanwhile", async () => {
    const [starting, stopping] = [await open(), await open()];
    await start(starting);
    starting.script.before.thaw = async () => {
      await stop(starting);
      throw new AppError("conflict", "It cannot be started");
    };
    await starting.deliver();
    expect(await starting.row()).toMatchObject({ status: "hibernated", wanted: null, error: null });
    await stop(stopping);
    stopping.script.before.freeze = async () => {
      await start(stopping);
      throw new AppError("conflict", "It cannot be stopped");
    };
    await stopping.deliver();
    expect(await stopping.row()).toMatchObject({ status: "running", wanted: null, error: null });
  });

  it("does not run again because somebody reads a file while it is being stopped", async () => {
    const project = await open();
    await wake(project);
    await checkpoint(project);
    project.lose();
    await stop(project);
    const impatient = awakeRuntime(project.deps, project.id, { timeoutMs: 0 });
    await expect(impatient.thaw(100)).rejects.toMatchObject({ code: "unavailable" });
    await project.deliver();
    expect((await project.row()).status).not.toBe("running");
  });

  it("does not wait for a program that does not answer when it is stopped", async () => {
    const project = await open();
    const wish = { name: "web", startupCommand: "run web" };
    const deps = containerDeps(project.deps);
    const { container } = await createContainer(deps, project.caller, project.id, wish);
    await start(project);
    // The executor looks at what is wanted every few seconds.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const runtime = {
      ...project.runtime,
      runsProcesses: true,
      startProcess: async () => {
        await stop(project);
        await vi.advanceTimersByTimeAsync(5_000);
      },
      processes: async () => [{ name: container.id, running: true, exitCode: null, startedAt: 0 }],
      fetchPort: async () => {
        throw new AppError("unavailable", "Nobody listens");
      },
    };
    await project.deliver({ workspaces: { runtime: () => runtime } });
    expect(await project.row()).toMatchObject({ status: "hibernated", wanted: null });
    expect(await containersOf(project.deps.db, project.id)).toMatchObject([{ status: "stopped" }]);
  });

  it("stops what runs and keeps its files where they are when that is asked", async () => {
    const project = await open();
    await wake(project);
    await requestStopAll(project.deps, project.caller, project.id);
    await project.deliver();
    expect(await project.row()).toMatchObject({ status: "stopped", startedAt: null });
    expect(await project.text("a.txt")).toBe("a");
  });
});

/** Takes a checkpoint and returns when it was taken. */
const checkpoint = async ({ deps, runtime, id }: Workshop) => {
  const wish = { projectId: id, role: "checkpoint", label: "" } as const;
  await takeSnapshot(deps, runtime, wish);
  return (await latestSnapshot(deps, id))?.createdAt.toISOString() ?? "";
};

const volume = ({ deps, caller, id }: Workshop) => volumeStatus(deps, caller, id);

const lossSince = (moment: string) =>
  `The project's container ended unexpectedly: changes after its snapshot of ${moment} are lost`;

describe("a project whose files were lost with what they are in", () => {
  it("gets those of its newest snapshot, whatever that was made for, and says what is lost", async () => {
    const project = await open();
    await sleep(project);
    await wake(project);
    await project.runtime.writeFile("a.txt", new TextEncoder().encode("newer"));
    const moment = await checkpoint(project);
    project.lose();
    await requestStopAll(project.deps, project.caller, project.id);
    await project.deliver();
    expect(await project.row()).toMatchObject({ status: "stopped", wanted: null, error: lossSince(moment) });
    expect(await project.text("a.txt")).toBe("newer");
    await wake(project);
    expect(await project.row()).toMatchObject({ status: "running", error: null });
  });

  it.each(["before", "after"] as const)(
    "says so beside what else went wrong, and after a crash %s",
    async (when) => {
      const project = await open();
      const deps = containerDeps(project.deps);
      const wish = { name: "cache", containerType: "service", image: "redis" } as const;
      await createContainer(deps, project.caller, project.id, wish);
      const moment = await checkpoint(project);
      project.lose();
      await start(project);
      project.script[when].replaceEntries = crash;
      await project.settle();
      await project.deliver();
      const other = expect.stringContaining(`${lossSince(moment)}; cache did not start: `);
      expect(await project.row()).toMatchObject({ status: "running", error: other });
    },
  );

  it("is hibernated, and says so then and when it wakes", async () => {
    const [project, another] = [await open(), await open()];
    const error = lossSince(await checkpoint(project));
    project.lose();
    await sleep(project);
    expect(await project.row()).toMatchObject({ status: "hibernated", error });
    expect(await volume(project)).toMatchObject({ status: "unavailable", recoverable: true });
    another.lose();
    await wake(another);
    expect(await volume(another)).toMatchObject({ status: "unavailable", recoverable: false });
    await wake(project);
    expect(await project.row()).toMatchObject({ status: "running", error });
  });
});

describe("an executor that dies", () => {
  it.each([
    ["before the files are frozen", "freeze", "before"],
    ["when they are frozen", "freeze", "after"],
    ["while the snapshot is taken", "readEntries", "before"],
    ["before the files are taken away", "discard", "before"],
    ["when they are taken away", "discard", "after"],
  ] as const)("%s is followed by one that finishes the stop", async (_, call, when) => {
    const project = await open();
    await stop(project);
    project.script[when][call] = crash;
    await project.settle();
    expect(await project.row()).toMatchObject({ wanted: "hibernated" });
    await project.deliver();
    expect(await project.row()).toMatchObject({ status: "hibernated", wanted: null, error: null });
    await wake(project);
    expect(await project.text("a.txt")).toBe("a");
  });

  it.each(["before", "after"] as const)(
    "%s the files are back is followed by one that finishes the start",
    async (when) => {
      const project = await open();
      await sleep(project);
      await start(project);
      project.script[when].replaceEntries = crash;
      await project.settle();
      await project.deliver();
      expect(await project.row()).toMatchObject({ status: "running", wanted: null });
      expect(await project.text("a.txt")).toBe("a");
    },
  );

  it("and lives on does nothing any more once another one has taken over", async () => {
    const project = await open();
    await stop(project);
    // While the first one is about to take the files away, its lease runs out and the project is started.
    project.script.before.discard = async () => {
      await project.die(1);
      await wake(project);
      await project.runtime.writeFile("b.txt", new TextEncoder().encode("b"));
    };
    await project.settle();
    expect(await project.row()).toMatchObject({
      status: "running",
      wanted: null,
      generation: 2,
      error: null,
    });
    expect(await project.text("a.txt")).toBe("a");
    expect(await project.text("b.txt")).toBe("b");
  });

  it("in the middle of its snapshot leaves none that is newer than the next one's", async () => {
    const project = await open();
    await stop(project);
    project.script.after.inventory = async () => {
      await project.die(1);
      await wake(project);
      await project.runtime.writeFile("b.txt", new TextEncoder().encode("b"));
      await stop(project);
      await project.deliver();
    };
    await project.settle();
    await wake(project);
    expect(await project.text("b.txt")).toBe("b");
  });

  it("in the middle of freezing cannot freeze behind the back of the next one", async () => {
    const project = await open();
    await stop(project);
    project.script.before.freeze = async () => {
      await project.die(1);
      await wake(project);
    };
    await project.settle();
    expect(await project.row()).toMatchObject({ status: "running", wanted: null });
    expect(await project.runtime.storageState()).toMatchObject({ state: "present" });
  });
});

describe("a stop that cannot be done", () => {
  it("is given up after three attempts: the project is usable, and says why", async () => {
    const project = await open();
    await wake(project);
    await stop(project);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect(await project.row()).toMatchObject({ wanted: "hibernated" });
      project.script.before.inventory = crash;
      await project.settle();
    }
    expect(await project.row()).toMatchObject({
      status: "stopped",
      wanted: null,
      error: "The project could not be hibernated; its files are unchanged: The runtime did not answer",
    });
    expect(await project.runtime.storageState()).toMatchObject({ state: "present" });
    expect(project.script.calls).not.toContain("discard");
    await wake(project);
    expect(await project.row()).toMatchObject({ status: "running", error: null });
  });

  it("is given up when its executors die one after the other", async () => {
    const project = await open();
    await stop(project);
    await project.runtime.freeze(0);
    await project.die(3);
    await project.deliver();
    const error = expect.stringContaining("interrupted too many times");
    expect(await project.row()).toMatchObject({ status: "stopped", wanted: null, error });
    expect(await project.runtime.storageState()).toMatchObject({ state: "present" });
    expect(await project.job()).toBeUndefined();
  });
});
