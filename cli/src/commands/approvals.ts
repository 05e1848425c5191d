import { command, group } from "../command.ts";
import type { Context } from "../context.ts";
import type { ApprovalResponse } from "@agent-workspace/client";
import { CommandError, UsageError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { contentOf, linesOfInput } from "../tasks/asked-input.ts";
import { namedProject, openAsPerson, openService } from "../service.ts";

const list = command("list", {
  description: "List what needs your input",
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
      "Nothing needs your input.",
    );
  },
});

const show = command("show", {
  description: "Show a call that needs your input, in full",
  args: { approval: { type: "positional", description: "Id of the approval" } },
  async run(context, { approval }) {
    const { workspace } = await openService(context);
    const asked = await workspace.request("GET", "/api/chat/agent/approvals/{approval}", {
      path: { approval },
    });
    context.output.show(asked, () => [
      [asked.tool],
      ...(asked.input
        ? linesOfInput(asked.input).map((line) => [line])
        : [[JSON.stringify(asked.parameters, undefined, 2)]]),
      [asked.response === null ? `Waits until ${asked.expires_at}` : `Answered: ${asked.response}`],
    ]);
  },
});

const allow = command("allow", {
  description: "Allow a call",
  args: {
    approval: { type: "positional", description: "Id of the approval" },
    always: { type: "boolean", description: "Allow this tool in this chat" },
  },
  run: (context, { approval, always }) => answer(context, approval, always ? "allow_all" : "allow_once"),
});

const deny = command("deny", {
  description: "Deny a call",
  args: {
    approval: { type: "positional", description: "Id of the approval" },
    reason: { type: "string", description: "Why, or what to do instead: the agent reads it and goes on" },
  },
  run: (context, { approval, reason }) => answer(context, approval, "stop", { reason }),
});

const accept = command("accept", {
  description: "Answer what an MCP server asks",
  args: {
    approval: {
      type: "positional",
      description:
        "Id of the question; behind it name=value for each field, with commas between several choices",
    },
  },
  hasRest: true,
  async run(context, { approval, _: [, ...given] }) {
    const { workspace } = await openAsPerson(context, "A question");
    const { input } = await workspace.request("GET", "/api/chat/agent/approvals/{approval}", {
      path: { approval },
    });
    if (!input) throw new UsageError("This asks about a call: use allow or deny");
    await answer(context, approval, "accept", { content: contentOf(input, given) });
  },
});

const decline = command("decline", {
  description: "Decline what an MCP server asks",
  args: { approval: { type: "positional", description: "Id of the question" } },
  run: (context, { approval }) => answer(context, approval, "decline"),
});

/** Answers an approval. Throws for one that is answered already: the service takes the same answer twice. */
async function answer(
  context: Context,
  approval: string,
  response: ApprovalResponse,
  { reason, content }: { reason?: string | undefined; content?: Record<string, unknown> } = {},
): Promise<void> {
  const { workspace } = await openAsPerson(context, "An approval");
  const { response: given } = await workspace.request("GET", "/api/chat/agent/approvals/{approval}", {
    path: { approval },
  });
  if (given !== null) {
    throw new CommandError(EXIT.failed, "conflict", `This approval was already answered: ${given}`);
  }
  const answered = await workspace.request("POST", "/api/chat/agent/approval", {
    body: {
      approval_id: approval,
      response,
      ...(reason !== undefined && { reason }),
      ...(content && { content }),
    },
  });
  context.output.show(answered, answered.message);
}

export const approvals = group(
  "approvals",
  "List and answer approvals",
  { list, show, allow, deny, accept, decline },
  "list",
);
