import { command, group } from "../command.ts";
import { CommandError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { diffLine } from "../output/diff.ts";
import { bold, dim, yellow } from "../output/styles.ts";
import { openService, projectOf } from "../service.ts";

const project = { type: "string", alias: "p", description: "Id or slug of the project" } as const;

const status = command("status", {
  description: "Show what has changed",
  args: { project },
  async run(context, args) {
    const service = await openService(context);
    const path = { project: await projectOf(context, service, args.project) };
    const found = await service.workspace.request("GET", "/api/projects/{project}/git/status", { path });
    context.output.show(found, () => [
      ["On branch ", bold(found.branch ?? "(none)")],
      ...(found.ahead + found.behind > 0 ? [[`Ahead ${found.ahead}, behind ${found.behind}`]] : []),
      ...found.changes.map(({ file_path, status: letter, staged }) => [
        yellow(letter.padEnd(3)),
        file_path,
        staged ? dim(" (staged)") : "",
      ]),
      ...(found.changes.length === 0 ? [["Nothing has changed."]] : []),
    ]);
  },
});

const diff = command("diff", {
  description: "Show the changes that are not committed",
  args: { file: { type: "positional", required: false, description: "Of this file alone" }, project },
  async run(context, args) {
    const service = await openService(context);
    const path = { project: await projectOf(context, service, args.project) };
    const query = args.file === undefined ? {} : { file_path: args.file };
    const found = await service.workspace.request("GET", "/api/projects/{project}/git/diff", { path, query });
    context.output.show(found, () =>
      found.diff
        .replace(/\n$/u, "")
        .split("\n")
        .map((line) => [diffLine(line)]),
    );
    if (found.truncated) context.output.note("The diff is cut: it is too long.");
  },
});

const log = command("log", {
  description: "List commits",
  args: { project, limit: { type: "string", default: "20", description: "Most commits" } },
  async run(context, args) {
    const service = await openService(context);
    const path = { project: await projectOf(context, service, args.project) };
    const query = { limit: Number(args.limit) };
    const { commits } = await service.workspace.request("GET", "/api/projects/{project}/git/commits", {
      path,
      query,
    });
    context.output.list(
      commits,
      [
        { title: "commit", text: ({ short_sha }) => short_sha },
        { title: "date", text: ({ date }) => date },
        { title: "author", text: ({ author }) => author.name },
        { title: "title", text: ({ title }) => title },
      ],
      "There are no commits.",
    );
  },
});

const branches = command("branches", {
  description: "List branches",
  args: { project },
  async run(context, args) {
    const service = await openService(context);
    const path = { project: await projectOf(context, service, args.project) };
    const found = await service.workspace.request("GET", "/api/projects/{project}/git/branches", { path });
    context.output.list(
      found.branches,
      [
        { title: "", text: ({ current }) => (current ? "*" : "") },
        { title: "branch", text: ({ name }) => name },
        { title: "commit", text: ({ sha }) => sha.slice(0, 8) },
      ],
      "There are no branches.",
    );
  },
});

const change = command("switch", {
  description: "Switch to a branch",
  args: {
    branch: { type: "positional", description: "Name of the branch" },
    create: { type: "boolean", alias: "c", description: "Create it first" },
    project,
  },
  async run(context, args) {
    const service = await openService(context);
    const path = { project: await projectOf(context, service, args.project) };
    const { branch } = args;
    const switched = args.create
      ? await service.workspace.request("POST", "/api/projects/{project}/git/branches", {
          path,
          body: { name: branch, checkout: true },
        })
      : await service.workspace.request("PUT", "/api/projects/{project}/git/branches/switch", {
          path,
          body: { branch },
        });
    context.output.show(switched, `On branch ${branch}`);
  },
});

const commit = command("commit", {
  description: "Commit all changes",
  args: {
    message: { type: "string", alias: "m", required: true, description: "Message of the commit" },
    project,
  },
  async run(context, args) {
    const service = await openService(context);
    const path = { project: await projectOf(context, service, args.project) };
    const { workspace } = service;
    await workspace.request("POST", "/api/projects/{project}/git/stage", { path, body: {} });
    const made = await workspace.request("POST", "/api/projects/{project}/git/commit", {
      path,
      body: { message: args.message },
    });
    context.output.show(made, `Committed ${made.sha.slice(0, 8)}`);
  },
});

const push = command("push", {
  description: "Push the branch",
  args: { project, force: { type: "boolean", description: "Replace the remote branch" } },
  async run(context, args) {
    const service = await openService(context);
    const path = { project: await projectOf(context, service, args.project) };
    const body = { force: args.force === true };
    const pushed = await service.workspace.request("POST", "/api/projects/{project}/git/push", {
      path,
      body,
    });
    context.output.show(pushed, pushed.message);
  },
});

const pull = command("pull", {
  description: "Pull the branch",
  args: { project },
  async run(context, args) {
    const service = await openService(context);
    const path = { project: await projectOf(context, service, args.project) };
    const pulled = await service.workspace.request("POST", "/api/projects/{project}/git/pull", {
      path,
      body: {},
    });
    context.output.show(pulled, pulled.message);
    if (!pulled.success) {
      const conflicts = pulled.conflicts.join(", ");
      throw new CommandError(EXIT.failed, "conflict", `The pull has conflicts: ${conflicts}`);
    }
  },
});

export const git = group("git", "Git in a project", {
  status,
  diff,
  log,
  branches,
  switch: change,
  commit,
  push,
  pull,
});
