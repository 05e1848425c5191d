import type { Account, ApiAnswer, ApiClient } from "./api-client.ts";

export interface TeamView {
  id: string;
  slug: string;
  name: string;
  role: string;
}

export type TeamClient = Awaited<ReturnType<typeof newTeamClient>>;

/** A team with its owner, and the members whom a link has brought into it. */
export async function newTeamClient(service: ApiClient) {
  const owner = await service.signUp("owner");
  const made = await service.call<TeamView>("POST", "/api/teams", {
    token: owner.token,
    json: { name: "Team" },
  });
  const team = made.body;
  /** The team's path, and what follows. */
  const path = (rest = "") => `/api/teams/${team.slug}${rest}`;
  /** A request of its administrator. */
  const asOwner = <T = unknown>(method: string, rest: string, json?: unknown): Promise<ApiAnswer<T>> =>
    service.call(method, path(rest), { token: owner.token, json });
  const switched = await asOwner("POST", "/switch");
  if (made.status !== 201 || switched.status !== 200)
    throw new Error(`No team: ${made.text} ${switched.text}`);
  /** A new member of the team, who works in it from then on. */
  const join = async (role: "admin" | "editor" | "viewer"): Promise<Account> => {
    const account = await service.signUp(role);
    const { token } = account;
    const link = await asOwner<{ invite_url: string }>("POST", "/members/link", { role, max_uses: 1 });
    const secret = link.body.invite_url.split("/").at(-1) ?? "";
    const joined = await service.call("POST", `/api/teams/invitations/${secret}/accept`, { token });
    const working = await service.call("POST", path("/switch"), { token });
    if (joined.status !== 200 || working.status !== 200) {
      throw new Error(`Nobody joined: ${joined.text} ${working.text}`);
    }
    return account;
  };
  return { team, owner, path, asOwner, join };
}
