import { command, group } from "../command.ts";
import { writeLink } from "../link/link.ts";
import { bold } from "../output/styles.ts";
import { openService, projectOf } from "../service.ts";

const name = {
  type: "positional",
  required: false,
  description: "Id or slug; the linked one when absent",
} as const;

const list = command("list", {
  description: "List your projects",
  async run(context) {
    const { workspace } = await openService(context);
    context.output.list(
      await workspace.request("GET", "/api/projects"),
      [
        { title: "slug", text: ({ slug }) => slug },
        { title: "name", text: (project) => project.name },
        { title: "status", text: ({ status }) => status },
        { title: "last activity", text: ({ last_activity, created_at }) => last_activity ?? created_at },
      ],
      "You have no projects. `workspace projects create NAME` makes one.",
    );
  },
});

const create = command("create", {
  description: "Create a project",
  args: {
    name: { type: "positional", description: "Name of the project" },
    git: { type: "string", description: "Clone this repository into it", valueHint: "address" },
    branch: { type: "string", description: "Branch to clone" },
    base: { type: "string", description: "Begin with this template" },
    description: { type: "string", description: "What it is for" },
    link: { type: "boolean", description: "Tie this folder to it" },
  },
  async run(context, args) {
    const { workspace, address } = await openService(context);
    const source = args.git === undefined ? (args.base === undefined ? "empty" : "base") : "github";
    const created = await workspace.request("POST", "/api/projects", {
      body: {
        name: args.name,
        source_type: source,
        ...(args.description !== undefined && { description: args.description }),
        ...(args.git !== undefined && { git_repo_url: args.git }),
        ...(args.branch !== undefined && { git_branch: args.branch }),
        ...(args.base !== undefined && { base_id: args.base }),
      },
    });
    const { id, slug } = created;
    if (args.link === true)
      await writeLink({ folder: context.folder, service: address, projectId: id, slug });
    context.output.show(created, () => [["Created ", bold(slug), `, id ${id}`]]);
  },
});

const show = command("show", {
  description: "Show a project and its containers",
  args: { project: name },
  async run(context, args) {
    const service = await openService(context);
    const project = await projectOf(context, service, args.project);
    const status = await service.workspace.request("GET", "/api/projects/{project}/status", {
      path: { project },
    });
    const shown = await service.workspace.request("GET", "/api/projects/{project}", { path: { project } });
    context.output.show({ ...shown, ...status }, () => [
      [bold(shown.name), ` (${shown.slug})`],
      [`Id          ${shown.id}`],
      [`Status      ${status.status}`, status.error === null ? "" : `: ${status.error}`],
      ...status.containers.map((each) => [`Container   ${each.name}: ${each.status} ${each.url ?? ""}`]),
    ]);
  },
});

const remove = command("delete", {
  description: "Delete a project with its files, chats and snapshots",
  args: {
    project: { type: "positional", description: "Id or slug" },
    yes: { type: "boolean", alias: "y", description: "Do not ask" },
  },
  async run(context, args) {
    const { workspace } = await openService(context);
    const { project } = args;
    const { slug } = await workspace.request("GET", "/api/projects/{project}", { path: { project } });
    await context.input.confirm(`Delete ${slug} with all its files?`, { yes: args.yes === true });
    const deleted = await workspace.request("DELETE", "/api/projects/{project}", { path: { project } });
    context.output.show(deleted, `Deleted ${slug}`);
  },
});

/** Starting and stopping only differ in a word. */
function change(action: "start" | "stop", description: string) {
  return command(action, {
    description,
    args: { project: name },
    async run(context, args) {
      const service = await openService(context);
      const project = await projectOf(context, service, args.project);
      const { workspace } = service;
      const changed =
        action === "start"
          ? await workspace.request("POST", "/api/projects/{project}/start", { path: { project } })
          : await workspace.request("POST", "/api/projects/{project}/stop", { path: { project } });
      context.output.show(changed, action === "start" ? "The project starts" : "The project stops");
    },
  });
}

export const projects = group(
  "projects",
  "List, create and delete projects",
  {
    list,
    create,
    show,
    start: change("start", "Start a project's containers"),
    stop: change("stop", "Stop a project's containers"),
    delete: remove,
  },
  "list",
);
