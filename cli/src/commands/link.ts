import { command } from "../command.ts";
import { UsageError } from "../errors.ts";
import { findLink, removeLink, writeLink } from "../link/link.ts";
import { bold } from "../output/styles.ts";
import { openService, type Service } from "../service.ts";
import type { Context } from "../context.ts";

export const link = command("link", {
  description: "Tie this folder to a project, for all commands in it",
  args: {
    project: { type: "positional", required: false, description: "Id or slug; asked for when absent" },
  },
  async run(context, args) {
    const service = await openService(context);
    const project = args.project ?? (await chosen(context, service));
    const { id, slug } = await service.workspace.request("GET", "/api/projects/{project}", {
      path: { project },
    });
    await writeLink({ folder: context.folder, service: service.address, projectId: id, slug });
    context.output.show({ folder: context.folder, service: service.address, project_id: id, slug }, () => [
      ["Linked this folder to ", bold(slug), ` at ${service.address}`],
    ]);
  },
});

async function chosen(context: Context, { workspace }: Service): Promise<string> {
  const projects = await workspace.request("GET", "/api/projects");
  if (projects.length === 0)
    throw new UsageError("You have no projects", "`workspace projects create NAME` makes one.");
  const choices = projects.map(({ id, name, slug }) => ({ value: id, label: name, hint: slug }));
  return context.input.choose("Which project?", choices, "Name the project: workspace link PROJECT");
}

export const unlink = command("unlink", {
  description: "Untie this folder from its project",
  async run(context) {
    const found = await findLink(context.folder);
    if (found) await removeLink(found);
    context.output.show(
      { folder: found?.folder ?? null, project_id: found?.projectId ?? null },
      found ? `Unlinked ${found.folder}` : "This folder is not linked",
    );
  },
});
