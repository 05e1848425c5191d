import { command, group } from "../command.ts";
import { openService, projectOf } from "../service.ts";

const project = { type: "string", alias: "p", description: "Id or slug of the project" } as const;

const list = command("list", {
  description: "List snapshots, newest first",
  args: { project },
  async run(context, args) {
    const service = await openService(context);
    const path = { project: await projectOf(context, service, args.project) };
    const { snapshots: found } = await service.workspace.request("GET", "/api/projects/{project}/snapshots", {
      path,
    });
    context.output.list(
      found,
      [
        { title: "hash", text: ({ hash }) => hash.slice(0, 12) },
        { title: "time", text: ({ ts }) => ts },
        { title: "made by", text: ({ role }) => role },
        { title: "files", text: ({ file_count }) => file_count },
        { title: "label", text: ({ label }) => label },
      ],
      "There are no snapshots.",
    );
  },
});

const create = command("create", {
  description: "Save the project's files as they are now",
  args: { label: { type: "positional", required: false, description: "What it is" }, project },
  async run(context, args) {
    const service = await openService(context);
    const path = { project: await projectOf(context, service, args.project) };
    const body = { label: args.label ?? "" };
    const made = await service.workspace.request("POST", "/api/projects/{project}/snapshots", { path, body });
    context.output.show(made, `Saved as ${made.hash.slice(0, 12)}`);
  },
});

const restore = command("restore", {
  description: "Set the project's files back to a snapshot",
  args: {
    hash: { type: "positional", description: "Its hash, or the beginning of it" },
    project,
    yes: { type: "boolean", alias: "y", description: "Do not ask" },
  },
  async run(context, args) {
    const service = await openService(context);
    const path = { project: await projectOf(context, service, args.project) };
    const { snapshots: found } = await service.workspace.request("GET", "/api/projects/{project}/snapshots", {
      path,
    });
    const matching = found.filter((each) => each.hash.startsWith(args.hash));
    // An unknown hash is refused by the service, with its own sentence.
    const hash = matching.length === 1 ? (matching[0]?.hash ?? args.hash) : args.hash;
    await context.input.confirm(`Set all files back to ${hash.slice(0, 12)}?`, { yes: args.yes === true });
    const restored = await service.workspace.request(
      "POST",
      "/api/projects/{project}/snapshots/{hash}/restore",
      {
        path: { ...path, hash },
      },
    );
    context.output.show(restored, restored.message);
  },
});

export const snapshots = group(
  "snapshots",
  "Save and restore a project's files",
  { list, create, restore },
  "list",
);
