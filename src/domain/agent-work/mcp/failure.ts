import type { McpChallenge, McpFailure, McpFailureKind } from "#src/platform/mcp-client/mcp-client.ts";
import type { McpOAuthFailure } from "#src/platform/mcp-oauth/mcp-oauth.ts";

/** Why a server could not be used. */
export interface ServerFailure {
  kind: McpFailureKind;
  /** One sentence. */
  message: string;
  /** Whether a call may have reached the server, so that its outcome is unknown. */
  wasSent: boolean;
  /** What the server said about the authorization that it wants. */
  challenge?: McpChallenge | undefined;
}

/** Scopes that the server wants beyond those of its token; undefined for a failure of another kind. */
export function neededScopeOf({ challenge }: ServerFailure): string | undefined {
  return challenge?.isForScope ? challenge.scope : undefined;
}

/** The token and headers of a server are encrypted under a key that is no longer configured. */
export class UnreadableSecrets extends Error {
  override name = "UnreadableSecrets";

  constructor(cause: unknown) {
    super("Its token and headers can no longer be decrypted: store them again", { cause });
  }
}

/** The failure of a server that an error stands for; undefined for any other error. */
export function failureOf(error: unknown): ServerFailure | undefined {
  if (error instanceof UnreadableSecrets) {
    return { kind: "needs_authorization", message: error.message, wasSent: false };
  }
  return isMcpFailure(error) ? error : undefined;
}

/** By its name: the client is a vendor's, and only its types are known here. */
function isMcpFailure(error: unknown): error is McpFailure {
  return error instanceof Error && error.name === "McpFailure";
}

/** The failure of an authorization server that an error stands for; undefined for any other error. */
export function oauthFailureOf(error: unknown): McpOAuthFailure | undefined {
  return isOAuthFailure(error) ? error : undefined;
}

function isOAuthFailure(error: unknown): error is McpOAuthFailure {
  return error instanceof Error && error.name === "McpOAuthFailure";
}
