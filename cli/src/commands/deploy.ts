import { setTimeout as pause } from "node:timers/promises";
import { command } from "../command.ts";
import { CommandError, UsageError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { HOSTING_PROVIDERS } from "../hosting-providers.ts";
import { bold, green } from "../output/styles.ts";
import { openService, projectOf } from "../service.ts";

const POLL_MS = 1_000;
const NAMES = HOSTING_PROVIDERS.join(", ");
const UNFINISHED: ReadonlySet<string> = new Set(["pending", "building", "pushing", "deploying"]);

export const deploy = command("deploy", {
  description: "Publish the project at a hosting provider",
  args: {
    provider: {
      type: "positional",
      required: false,
      description: `One of ${NAMES}; without one, deployments are listed`,
    },
    project: { type: "string", alias: "p", description: "Id or slug of the project" },
    container: { type: "string", description: "Id of the container; the first one when absent" },
    branch: { type: "string", description: "Branch to publish" },
    detach: { type: "boolean", description: "Do not wait for the end" },
  },
  async run(context, args) {
    const { output } = context;
    if (args.provider !== undefined && !HOSTING_PROVIDERS.includes(args.provider)) {
      throw new UsageError(`There is no provider ${args.provider}, only ${NAMES}`);
    }
    const service = await openService(context);
    const { workspace } = service;
    const project = await projectOf(context, service, args.project);
    if (args.provider === undefined) {
      output.list(
        await workspace.request("GET", "/api/deployments", { query: { project_id: project } }),
        [
          { title: "id", text: ({ id }) => id },
          { title: "provider", text: ({ provider }) => provider },
          { title: "status", text: ({ status }) => status },
          { title: "time", text: ({ created_at }) => created_at },
          { title: "address", text: ({ deployment_url }) => deployment_url },
        ],
        "The project was not published yet. Name a provider to do so.",
      );
      return;
    }
    const begun = await workspace.request("POST", "/api/deployments/{project}/deploy", {
      path: { project },
      body: {
        provider: args.provider,
        ...(args.container !== undefined && { container_id: args.container }),
        ...(args.branch !== undefined && { branch: args.branch }),
      },
      idempotencyKey: crypto.randomUUID(),
    });
    let shown = begun;
    let toldStatus = "";
    while (!args.detach && UNFINISHED.has(shown.status)) {
      if (shown.status !== toldStatus) output.aside(`${shown.status} …`);
      toldStatus = shown.status;
      await pause(POLL_MS);
      shown = await workspace.request("GET", "/api/deployments/{deployment}", {
        path: { deployment: begun.id },
      });
    }
    const { id, status, deployment_url: url, error } = shown;
    if (status === "failed" || status === "cancelled") {
      const advice = `\`workspace api GET /api/deployments/${id}/logs\` shows its log.`;
      throw new CommandError(
        EXIT.failed,
        `deployment_${status}`,
        error ?? `The deployment ${status}`,
        advice,
      );
    }
    output.show(shown, () => [
      status === "success" ? [green("✓ "), bold(url ?? id)] : [`Deployment ${id}: ${status}`],
    ]);
  },
});
