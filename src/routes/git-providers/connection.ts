import { z } from "zod";
import { connectToken, disconnectGitHost } from "#src/domain/source-control/git-hosts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Message, text } from "#src/http/schemas.ts";
import { Connected, HOST, HostParams } from "./provider.ts";

/** Tokens of all hosts are printable ASCII, and are sent in a header. */
const Token = text({ min: 1, max: 1000, trim: true }).regex(
  /^[\x21-\x7E]*$/u,
  "must be a token in the format that the host shows",
);

export const putToken = endpoint({
  operationId: "connectGitHostByToken",
  method: "put",
  path: `/api/git-providers/${HOST}/token`,
  summary: "Connect a git host by token",
  description: "The git host is asked whether the token is valid.",
  tag: "Git hosts",
  access: { user: "any" },
  params: HostParams,
  example: { token: "glpat-example" },
  body: z.object({
    token: Token,
    username: text({ max: 320, trim: true })
      .optional()
      .describe("For an API token of Bitbucket: the account's email address"),
  }),
  refusals: [503],
  response: { status: 200, schema: Connected },
  async handler({ services, caller, params, body, client }) {
    const given = { token: body.token, login: body.username || undefined };
    const { label, username } = await connectToken(services, caller.userId, params.git_host, given, client);
    return {
      message: `${label} is connected`,
      connected: true as const,
      provider: params.git_host,
      provider_username: username,
    };
  },
});

export const disconnectHost = endpoint({
  operationId: "disconnectGitHost",
  method: "delete",
  path: `/api/git-providers/${HOST}/disconnect`,
  summary: "Disconnect a git host",
  description: "Deletes the stored tokens of the caller's account at the git host.",
  tag: "Git hosts",
  access: { user: "any" },
  params: HostParams,
  response: { status: 200, schema: Message },
  async handler({ services, caller, params, client }) {
    const { label } = await disconnectGitHost(services, caller.userId, params.git_host, client);
    return { message: `${label} is disconnected` };
  },
});
