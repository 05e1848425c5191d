import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { cloneRepository, requestClone } from "#src/domain/workspaces/git/index.ts";
import { repositoryOf } from "#src/domain/source-control/repositories/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { createLog } from "#src/platform/log/log.ts";
import { executeJob } from "#src/work/execute.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { newColleague, newProject } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { fieldsOf } from "#test/support/fields.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { GIT_HOSTS } from "#test/support/no-git-hosts.ts";
import { partOf } from "#test/support/part-of.ts";
import { memoryArchives } from "../../workspaces/archives/memory-archives.ts";
import { keptQueue } from "#test/support/kept-queue.ts";

const database = await fileDatabase();

const URL = "https://git.example.com/octo/app.git";
const CLONED = { branch: "main", commitSha: "a".repeat(40), notes: [] };

/** What git is asked, and what it does. */
let asked: [string, unknown][] = [];
let git: (signal: AbortSignal | undefined) => Promise<typeof CLONED>;
let published: QueueMessage[] = [];
beforeEach(() => {
  asked = [];
  published = [];
  git = async () => CLONED;
});

function deps(timeoutSeconds = HANGS_MS / 1_000) {
  const runtime = {
    list: async () => [],
    git: async (name: string, input: unknown, options?: { signal?: AbortSignal }) => {
      asked.push([name, input]);
      return git(options?.signal);
    },
  };
  return {
    db: database.db,
    log: createLog(),
    config: {
      GIT_CLONE_TIMEOUT_SECONDS: timeoutSeconds,
      MAX_SNAPSHOTS_PER_PROJECT: 10,
      SNAPSHOT_RETENTION_DAYS: 1,
    },
    archives: memoryArchives(),
    gitHosts: GIT_HOSTS,
    deploymentSecrets: createSecrets("a-secret-key-for-tests-of-32-characters"),
    refusalOfUrl: (url: string) =>
      url.includes("//10.") ? "The address points into a private network" : undefined,
    queue: keptQueue(published).queue,
    workspaces: { runtime: () => partOf<ProjectRuntime>(runtime) },
  };
}

async function newAccess() {
  const { caller } = await newColleague(database.db);
  return { caller, project: (await newProject(database.db, { caller })).id };
}

async function asking() {
  const access = await newAccess();
  await requestClone(deps(), access, { url: URL });
  return access;
}

const execute = (projectId: string, timeoutSeconds?: number) =>
  executeJob(deps(timeoutSeconds), cloneRepository, projectId);

const stateOf = async (projectId: string) => {
  const row = await repositoryOf(database.db, projectId);
  return row && { status: row.syncStatus, error: row.error };
};

/** As if the pause before the next attempt, or the lease of a dead executor, had passed. */
const pass = (projectId: string) =>
  database.db.execute(sql`UPDATE jobs SET due_at = now(), lease_until = NULL WHERE key = ${projectId}`);

it("is asked for, done, and written down", async () => {
  const access = await asking();
  expect(published).toMatchObject([{ function: "clone-repository", payload: { key: access.project } }]);
  expect(await stateOf(access.project)).toEqual({ status: "cloning", error: null });
  expect(await execute(access.project)).toBeUndefined();
  expect(asked).toEqual([["clone", { remote: { url: URL }, term: expect.any(Number) }]]);
  expect(await repositoryOf(database.db, access.project)).toMatchObject({
    syncStatus: "cloned",
    defaultBranch: "main",
    lastCommitSha: CLONED.commitSha,
    repoOwner: "octo",
    repoName: "app",
  });
  // Delivered again.
  expect(await execute(access.project)).toBeUndefined();
  expect(asked).toHaveLength(1);
});

it("is one at a time: the second request is refused, until the first is done", async () => {
  const access = await newAccess();
  const requests = await Promise.allSettled(
    Array.from({ length: 4 }, () => requestClone(deps(), access, { url: URL })),
  );
  expect(requests.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  await execute(access.project);
  await requestClone(deps(), access, { url: URL, branch: "dev" });
  await execute(access.project);
  expect(asked).toHaveLength(2);
  expect(asked[1]).toMatchObject(["clone", { remote: { url: URL }, branch: "dev" }]);
  // The queue would take the second message for the first.
  expect(new Set(published.map(({ deduplicationId }) => deduplicationId)).size).toBe(2);
});

it("ends where its project is deleted", async () => {
  const { project } = await asking();
  git = async () => {
    await database.db.execute(sql`DELETE FROM projects WHERE id = ${project}`);
    return CLONED;
  };
  expect(await execute(project)).toBeUndefined();
  expect(await stateOf(project)).toBeUndefined();
});

it("is tried four times where it may work the next time, each under a higher term, and says why it did not", async () => {
  const { project } = await asking();
  const failure = new AppError("unavailable", "git.example.com did not answer in time");
  git = () => Promise.reject(failure);
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    expect((await stateOf(project))?.status).toBe("cloning");
    await execute(project);
    await pass(project);
  }
  expect(await stateOf(project)).toEqual({ status: "failed", error: failure.message });
  // So the workspace takes no call of an earlier executor.
  const terms = asked.map(([, input]) => Number(fieldsOf(input)["term"]));
  expect(terms).toHaveLength(4);
  expect(terms).toEqual([...new Set(terms)].toSorted((one, other) => one - other));
});

it("has failed at once where the host refuses it", async () => {
  const { project } = await asking();
  const failure = new AppError("unauthenticated", "The git host refused the credentials");
  git = () => Promise.reject(failure);
  await execute(project);
  expect(await stateOf(project)).toEqual({ status: "failed", error: failure.message });
  // The person was told, and may ask for another one.
  const { rows } = await database.db.execute(sql`SELECT 1 FROM jobs WHERE key = ${project}`);
  expect(rows).toEqual([]);
});

it("ends when its time is over", async () => {
  const { project } = await asking();
  git = (signal) =>
    new Promise((_, reject) => {
      const stop = () => reject(new AppError("unavailable", "stopped"));
      // The time may be over before it begins.
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop);
    });
  expect(await execute(project, 0.1)).toBeUndefined();
  expect(await stateOf(project)).toMatchObject({
    status: "failed",
    error: "The clone took longer than 0.1 s",
  });
});

it("is made of no address that is not https to a host without a password, and of no branch that is an option", async () => {
  const access = await newAccess();
  const urls = [
    "git@github.com:octo/app.git",
    "ssh://git@github.com/octo/app",
    "file:///etc",
    "https://octo:secret@github.com/octo/app",
    "https://github.com",
    "https://10.0.0.1/octo/app",
    "ext::sh -c id",
    "--upload-pack=id",
  ];
  const branches = ["--output=x", "-b", "a..b", "a b", "a:b", "refs/../x", "a.lock", "HEAD", "é"];
  for (const change of [...urls.map((url) => ({ url })), ...branches.map((branch) => ({ branch }))]) {
    const request = requestClone(deps(), access, { url: URL, ...change });
    await expect(request).rejects.toMatchObject({ code: "invalid_input" });
  }
  expect([published, await stateOf(access.project)]).toEqual([[], undefined]);
});
