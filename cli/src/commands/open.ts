import { command } from "../command.ts";
import { CommandError, UsageError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { openBrowser } from "../input/open-browser.ts";
import { findTarget, openService, projectOf } from "../service.ts";
import type { Context } from "../context.ts";

/** Paths of the service's own pages; a preview has an address of its own. */
const PAGES: Readonly<Record<string, string | null>> = {
  preview: null,
  docs: "/docs",
  account: "/account/sessions",
};

export const open = command("open", {
  description: "Open a project's preview, the documentation or the account page",
  args: {
    page: {
      type: "positional",
      required: false,
      description: "preview, docs or account; preview when absent",
    },
    project: { type: "string", alias: "p", description: "Id or slug of the project" },
    container: { type: "string", description: "Container whose preview is meant; the first one when absent" },
  },
  async run(context, args) {
    const address = await addressOf(context, args);
    const isOpened =
      context.output.isTerminal && context.input.canAsk && openBrowser(address, context.environment);
    context.output.show({ url: address, opened: isOpened }, address);
  },
});

async function addressOf(
  context: Context,
  args: { page: string | undefined; project: string | undefined; container: string | undefined },
): Promise<string> {
  const path = PAGES[args.page ?? "preview"];
  if (path === undefined)
    throw new UsageError(`There is no page ${args.page}: only ${Object.keys(PAGES).join(", ")}`);
  if (path !== null) return (await findTarget(context)).address + path;
  const service = await openService(context);
  const project = await projectOf(context, service, args.project);
  const containers = await service.workspace.request("GET", "/api/projects/{project}/containers", {
    path: { project },
  });
  const found = containers.find(({ id, name, url }) =>
    args.container === undefined ? url !== null : id === args.container || name === args.container,
  );
  if (!found?.url) {
    throw new CommandError(
      EXIT.notFound,
      "no_preview",
      args.container === undefined ? "The project has no preview" : `${args.container} has no preview`,
      "A container has one while it runs: `workspace projects start`.",
    );
  }
  return found.url;
}
