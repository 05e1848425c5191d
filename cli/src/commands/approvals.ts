import { command, group } from "../command.ts";
import type { Context } from "../context.ts";
import { CommandError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { namedProject, openAsPerson, openService } from "../service.ts";

const list = command("list", {
  description: "List the calls that wait for an approval",
  args: {
    project: { type: "string", alias: "p", description: "Id or slug of the project; all when absent" },
  },
  async run(context, args) {
    const service = await openService(context);
    const project = await namedProject(context, service, args.project);
    const query = project === undefined ? {} : { project_id: project };
    context.output.list(
      await service.workspace.request("GET", "/api/chat/agent/approvals", { query }),
      [
        { title: "approval", text: ({ approval_id }) => approval_id },
        { title: "tool", text: ({ tool }) => tool },
        { title: "call", text: ({ parameters }) => JSON.stringify(parameters) },
        { title: "until", text: ({ expires_at }) => expires_at },
      ],
      "No call waits for an approval.",
    );
  },
});

const show = command("show", {
  description: "Show a call that waits, complete",
  args: { approval: { type: "positional", description: "Id of the approval" } },
  async run(context, { approval }) {
    const { workspace } = await openService(context);
    const asked = await workspace.request("GET", "/api/chat/agent/approvals/{approval}", {
      path: { approval },
    });
    context.output.show(asked, () => [
      [asked.tool],
      [JSON.stringify(asked.parameters, undefined, 2)],
      [asked.response === null ? `Waits until ${asked.expires_at}` : `Answered: ${asked.response}`],
    ]);
  },
});

const allow = command("allow", {
  description: "Allow a call",
  args: {
    approval: { type: "positional", description: "Id of the approval" },
    always: { type: "boolean", description: "Allow the tool always in this chat" },
  },
  run: (context, { approval, always }) => answer(context, approval, always ? "allow_all" : "allow_once"),
});

const deny = command("deny", {
  description: "Deny a call",
  args: {
    approval: { type: "positional", description: "Id of the approval" },
    reason: { type: "string", description: "Why, or what to do instead: the agent reads it and goes on" },
  },
  run: (context, { approval, reason }) => answer(context, approval, "stop", reason),
});

/** Answers an approval. Throws for one that is answered already: the service takes the same answer twice. */
async function answer(
  context: Context,
  approval: string,
  response: "allow_once" | "allow_all" | "stop",
  reason?: string,
): Promise<void> {
  const { workspace } = await openAsPerson(context, "An approval");
  const { response: given } = await workspace.request("GET", "/api/chat/agent/approvals/{approval}", {
    path: { approval },
  });
  if (given !== null) {
    throw new CommandError(EXIT.failed, "conflict", `This approval was already answered: ${given}`);
  }
  const answered = await workspace.request("POST", "/api/chat/agent/approval", {
    body: { approval_id: approval, response, ...(reason !== undefined && { reason }) },
  });
  context.output.show(answered, answered.message);
}

export const approvals = group("approvals", "List and answer approvals", { list, show, allow, deny }, "list");
