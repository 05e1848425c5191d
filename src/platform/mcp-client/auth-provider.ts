import type * as Protocol from "@modelcontextprotocol/client";
import { McpFailure, type McpToken, type McpTokens } from "./mcp-client.ts";

/** Gives each request a token, and one that is refused another one, once. `onToken` is told each token before it is sent. */
export function authProviderOf(tokens: McpTokens, onToken: (token: string) => void): Protocol.AuthProvider {
  let last = "";
  const given = async (found: Promise<McpToken>): Promise<string> => {
    const outcome = await found;
    if (!("token" in outcome)) throw new McpFailure(outcome.kind, outcome.sentence);
    onToken(outcome.token);
    return (last = outcome.token);
  };
  return {
    token: () => given(tokens.current()),
    onUnauthorized: async () => {
      await given(tokens.instead(last));
    },
  };
}
