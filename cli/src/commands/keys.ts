import { command, group } from "../command.ts";
import { UsageError } from "../errors.ts";
import { durationMs } from "../input/duration.ts";
import { linkOf, openAsPerson, projectIdOf } from "../service.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const list = command("list", {
  description: "List your API keys",
  async run(context) {
    const { workspace } = await openAsPerson(context, "A list of keys");
    context.output.list(
      await workspace.request("GET", "/api/external-api-keys"),
      [
        { title: "id", text: ({ id }) => id },
        { title: "name", text: ({ name }) => name },
        { title: "key", text: ({ key_prefix }) => `${key_prefix}…` },
        {
          title: "reaches",
          text: ({ project_ids }) => (project_ids ? `${project_ids.length} project(s)` : "all"),
        },
        { title: "active", text: ({ is_active }) => is_active },
        { title: "last used", text: ({ last_used_at }) => last_used_at },
      ],
      "You have no keys. `workspace keys create NAME` makes one.",
    );
  },
});

const create = command("create", {
  description: "Create an API key, and print it: it is shown this once",
  args: {
    name: { type: "positional", description: "Name of the key" },
    project: {
      type: "string",
      alias: "p",
      description: "Bind it to this project; to the linked one when absent",
    },
    "all-projects": { type: "boolean", description: "Bind it to no project, also in a linked folder" },
    scopes: { type: "string", description: "Its permissions, with commas; all of yours when absent" },
    expires: { type: "string", description: "Time after which it ends", valueHint: "30d|12h" },
  },
  async run(context, args) {
    const service = await openAsPerson(context, "A new key");
    const project = args.project ?? (await linkOf(context, service))?.projectId;
    if (args["all-projects"] === true && args.project !== undefined) {
      throw new UsageError("--all-projects and --project exclude each other");
    }
    const isBound = args["all-projects"] !== true && project !== undefined;
    const made = await service.workspace.request("POST", "/api/external-api-keys", {
      body: {
        name: args.name,
        ...(isBound && { project_id: await projectIdOf(context, service, project) }),
        ...(args.scopes !== undefined && { scopes: args.scopes.split(",").map((scope) => scope.trim()) }),
        ...(args.expires !== undefined && { expires_at: endOf(args.expires) }),
      },
    });
    context.output.show(made, () => [[made.key ?? ""]]);
    if (!context.output.json) {
      context.output.note(`Id ${made.id}. The secret of its callbacks: ${made.webhook_secret ?? ""}`);
    }
  },
});

function endOf(text: string): string {
  const [, days] = /^(\d+)d$/u.exec(text) ?? [];
  const ms = days === undefined ? durationMs(text) : Number(days) * DAY_MS;
  return new Date(Date.now() + ms).toISOString();
}

const revoke = command("revoke", {
  description: "Revoke an API key for good",
  args: {
    key: { type: "positional", description: "Id of the key" },
    yes: { type: "boolean", alias: "y", description: "Do not ask" },
  },
  async run(context, { key, yes }) {
    const { workspace } = await openAsPerson(context, "Revoking a key");
    await context.input.confirm(`Revoke ${key}?`, { yes: yes === true });
    const revoked = await workspace.request("DELETE", "/api/external-api-keys/{key}", { path: { key } });
    context.output.show(revoked, `Revoked ${key}`);
  },
});

const rotateSecret = command("rotate-secret", {
  description: "Make a new secret for a key's callbacks, and print it: it is shown this once",
  args: { key: { type: "positional", description: "Id of the key" } },
  async run(context, { key }) {
    const { workspace } = await openAsPerson(context, "A new secret");
    const rotated = await workspace.keys.rotateSecret(key);
    context.output.show(rotated, () => [[rotated.webhook_secret]]);
    if (!context.output.json) {
      context.output.note(`The previous secret signs as well until ${rotated.previous_secret_until}.`);
    }
  },
});

export const keys = group(
  "keys",
  "List, create and revoke API keys",
  { list, create, "rotate-secret": rotateSecret, revoke },
  "list",
);
