import { hexOf } from "../ids.ts";
import type { Exchange, WireCall } from "../wire.ts";
import { refuse } from "./errors.ts";

/** The team of an account; each has one. */
function teamOf(account: string): string {
  return `team_${hexOf(`team ${account}`).slice(0, 24)}`;
}

/** Whose projects a call means: those of the person, or of the team that `teamId` names. */
export function scopeOf({ account, url }: Pick<Exchange, "account" | "url">): string {
  const team = url.searchParams.get("teamId");
  if (team === null || team === "") return account;
  if (team === teamOf(account)) return team;
  throw refuse(403, "forbidden", "You don't have permission to access this team.");
}

const showTeam = (account: string) => ({
  id: teamOf(account),
  slug: `team-${account.slice(0, 6)}`,
  name: `Team ${account.slice(0, 6)}`,
  creatorId: account.slice(0, 24),
  membership: { role: "OWNER", confirmed: true },
});

/** Who the token belongs to. */
export const vercelAccount: readonly WireCall[] = [
  {
    method: "GET",
    path: "v2/user",
    run: ({ account }) => ({
      status: 200,
      json: {
        user: {
          id: account.slice(0, 24),
          uid: account.slice(0, 24),
          email: `${account.slice(0, 6)}@vercel.invalid`,
          name: null,
          username: `person-${account.slice(0, 6)}`,
          defaultTeamId: null,
          version: null,
          limited: false,
        },
      },
    }),
  },
  {
    method: "GET",
    path: "v2/teams",
    run: ({ account }) => ({
      status: 200,
      json: { teams: [showTeam(account)], pagination: { count: 1, next: null, prev: null } },
    }),
  },
  {
    method: "GET",
    path: "v2/teams/{id}",
    run({ account, at }) {
      if (at("id") !== teamOf(account)) throw refuse(404, "not_found", "Team not found");
      return { status: 200, json: showTeam(account) };
    },
  },
];
