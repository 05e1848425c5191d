import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GitOperations } from "#src/git/protocol.ts";
import { AppError } from "#src/lib/errors.ts";
import { startGitServer } from "#test/support/git-server.ts";
import { openGitProject } from "./support/git-project.ts";

let project: Awaited<ReturnType<typeof openGitProject>>;
let minute = 0;
beforeEach(async () => {
  project = await openGitProject();
  git("init", "--quiet", "--initial-branch=main");
});
afterEach(() => project.close());

/** Run git itself in the project; each commit a minute after the one before. */
function git(...args: string[]): string {
  minute += 1;
  const date = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.test"];
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const { status, stdout, stderr } = spawnSync("git", ["-C", project.root, ...identity, ...args], {
    encoding: "utf8",
    env,
  });
  if (status !== 0) throw new Error(stderr + stdout);
  return stdout;
}

const write = (path: string, text: string) => writeFileSync(join(project.root, path), text);

function commit(path: string, text: string, message: string): void {
  write(path, text);
  git("add", "--all");
  git("commit", "--quiet", "--message", message);
}

/** Each line's commit, as git itself blames it. */
function blamedByGit(path: string, ...revision: string[]): string[] {
  return git("blame", "--porcelain", ...revision, "--", path)
    .split("\n")
    .flatMap((line) => /^(?<sha>[\da-f]{40}) \d+ \d+/u.exec(line)?.groups?.["sha"] ?? []);
}

async function blamed(path: string, revision?: string): Promise<string[]> {
  const { hunks } = await project.git("blame", {
    path,
    start: 1,
    end: 10_000,
    ...(revision !== undefined && { revision }),
  });
  return hunks.flatMap(({ start, end, commit: from }) =>
    Array.from({ length: end - start + 1 }, () => from?.sha ?? "0".repeat(40)),
  );
}

/** Two lines of work on one file, merged, and one that leaves it alone. */
function branchAndMerge(): void {
  commit("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n", "first");
  git("switch", "--quiet", "--create", "side");
  commit("a.txt", "1\n2\n3\n4\n5\n6\nside\n8\n", "on the side");
  commit("b.txt", "b\n", "another file");
  git("switch", "--quiet", "main");
  commit("a.txt", "0\n1\nmain\n3\n4\n5\n6\n7\n8\n", "on main");
  git("merge", "--quiet", "--no-edit", "side");
  commit("a.txt", "0\n1\nmain\n3\n3.5\n4\n5\n6\nside\n8\n", "after the merge");
}

const ask = (path: string) => project.git("blame", { path, start: 1, end: 9 });

const numbers = (text: string) => text.split("\n").filter(Boolean).toSorted();

/** As `git diff --numstat`. */
async function ours(input: GitOperations["diff"]["input"]): Promise<string[]> {
  const { files } = await project.git("diff", input);
  return files.map(({ path, additions, deletions }) => `${additions}\t${deletions}\t${path}`).toSorted();
}

describe("blame", () => {
  it("says of every line what git says", async () => {
    branchAndMerge();
    expect(await blamed("a.txt")).toEqual(blamedByGit("a.txt"));
    for (const revision of ["main~1", "side", "HEAD~2"]) {
      expect(await blamed("a.txt", revision)).toEqual(blamedByGit("a.txt", revision));
    }
    write("a.txt", "0\nnew\n1\nmain\n3\n3.5\n4\n5\n6\nside\n8");
    expect(await blamed("a.txt")).toEqual(blamedByGit("a.txt"));
  });

  it("returns part of a file", async () => {
    branchAndMerge();
    const { lines, totalLines, hunks } = await project.git("blame", { path: "a.txt", start: 9, end: 99 });
    expect({ lines, totalLines }).toEqual({ lines: ["side", "8"], totalLines: 10 });
    expect(hunks).toMatchObject([
      { start: 9, end: 9 },
      { start: 10, end: 10 },
    ]);
  });

  it("says where a shallow history ends", async () => {
    const server = await startGitServer();
    try {
      const url = server.create("deep", { "a.txt": "a\n" });
      server.commit("deep", "main", { "a.txt": "a\nb\n" }, "second");
      await project.git("clone", { remote: { url } });
      const { hunks } = await project.git("blame", { path: "a.txt", start: 1, end: 9 });
      expect(hunks).toMatchObject([{ start: 1, end: 2, isBoundary: true }]);
      expect((await project.git("log", { limit: 9, path: "a.txt" })).commits).toHaveLength(1);
    } finally {
      await server.close();
    }
  });

  it("refuses what has no lines to blame", async () => {
    commit("binary", "a\0b", "binary");
    commit("large.txt", "line\n".repeat(300_000), "large");
    await expect(ask("binary")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(ask("large.txt")).rejects.toMatchObject({ code: "too_large" });
    await expect(ask("nowhere")).rejects.toMatchObject({ code: "not_found" });
    await expect(ask(".git/config")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(ask("../outside")).rejects.toMatchObject({ code: "invalid_input" });
  });
});

describe("log of a path", () => {
  it("has the commits that git has", async () => {
    branchAndMerge();
    for (const path of ["a.txt", "b.txt", "nowhere"]) {
      const { commits } = await project.git("log", { limit: 50, path });
      expect(commits.map(({ sha }) => sha)).toEqual(
        git("log", "--format=%H", "--", path).split("\n").filter(Boolean),
      );
    }
  });

  it("goes on after the path was taken away and made again", async () => {
    commit("a.txt", "a\n", "first");
    git("rm", "--quiet", "a.txt");
    git("commit", "--quiet", "--message", "gone");
    commit("a.txt", "b\n", "again");
    const { commits } = await project.git("log", { limit: 50, path: "a.txt" });
    expect(commits.map(({ message }) => message.trim())).toEqual(["again", "gone", "first"]);
  });
});

/** How a revision is refused. */
const codeOf = (revision: string) =>
  project.git("log", { limit: 1, revision }).then(
    () => "not refused",
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );

describe("revisions", () => {
  it("are branches, tags, ids, the beginnings of ids, and what lies before them", async () => {
    branchAndMerge();
    git("tag", "light", "main~1");
    git("tag", "--annotate", "--message", "note", "heavy", "main~2");
    git("update-ref", "refs/remotes/origin/far", "side");
    const id = git("rev-parse", "main~1").trim();
    const names = ["HEAD", "@", "side~1", "main^^", "main~1^", "light", "heavy~1", "origin/far"];
    for (const revision of [...names, id.slice(0, 7), `${id.slice(0, 10)}~1`]) {
      const { commits } = await project.git("log", { limit: 1, revision });
      expect([revision, commits[0]?.sha]).toEqual([
        revision,
        git("rev-parse", `${revision}^{commit}`).trim(),
      ]);
    }
  });

  it("are nothing that is an option, a path, a range, or too far back", async () => {
    branchAndMerge();
    const refused = ["", "--all", "../config", "a..b", "main:a.txt", "HEAD@{1}", "main~99999"];
    for (const revision of [...refused, "x".repeat(300)]) {
      expect([revision, await codeOf(revision)]).toEqual([revision, "invalid_input"]);
    }
    expect(await codeOf("config")).toBe("not_found");
  });
});

describe("differences between commits", () => {
  it("name the files that git names, with as many lines", async () => {
    branchAndMerge();
    write("a.txt", "0\n");
    write("new.txt", "new\n");
    git("add", "--all");
    write("new.txt", "newer\n");
    const pairs = [
      ["main~1", "main"],
      ["side", "main"],
      ["main", "side"],
      ["main~2", "side"],
    ] as const;
    for (const [base, target] of pairs) {
      expect(await ours({ base, target })).toEqual(
        numbers(git("diff", "--no-renames", "--numstat", base, target)),
      );
    }
    expect(await ours({ staged: true })).toEqual(numbers(git("diff", "--cached", "--numstat")));
    expect(await ours({ staged: true, base: "side" })).toEqual(
      numbers(git("diff", "--cached", "--numstat", "side")),
    );
    expect(await ours({ base: "side" })).toEqual(numbers(git("diff", "--numstat", "side")));
    expect(await ours({ base: "side", target: "main", path: "a.txt" })).toHaveLength(1);
  });
});
