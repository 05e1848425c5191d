import { Workspace, WorkspaceError } from "@agent-workspace/client";
import type { Profile } from "./profiles.ts";
import { renewAccessToken } from "./refresh.ts";
import type { Profiles } from "./profiles.ts";

/**
 * Ends a session, or revokes a paired key, at the service. One that has ended already is no failure. `profiles` renews the
 * access token of a stored session.
 */
export async function endAtService(address: string, profile: Profile, profiles?: Profiles): Promise<void> {
  const workspace = new Workspace({
    baseUrl: address,
    ...(profile.kind === "key"
      ? { apiKey: profile.key }
      : {
          accessToken: (refused?: string) =>
            refused === undefined || !profiles
              ? profile.accessToken
              : renewAccessToken(profiles, address, refused),
        }),
  });
  try {
    if (profile.kind === "key") await workspace.request("POST", "/api/v1/desktop/pair/revoke");
    else await endSession(workspace);
  } catch (error) {
    if (!isOver(error)) throw error;
  }
}

/** Ends this session alone: the service's own sign-out ends all of the account. */
async function endSession(workspace: Workspace): Promise<void> {
  const sessions = await workspace.request("GET", "/api/auth/sessions");
  const current = sessions.find(({ is_current }) => is_current);
  if (!current) return;
  await workspace.request("DELETE", "/api/auth/sessions/{session}", { path: { session: current.id } });
}

function isOver(error: unknown): boolean {
  if (error instanceof WorkspaceError) return error.status === 401 || error.status === 404;
  return error instanceof Error && "code" in error && error.code === "not_signed_in";
}
