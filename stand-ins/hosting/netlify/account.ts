import { hexOf, iso } from "../ids.ts";
import type { WireCall } from "../wire.ts";

/** The id of the team in which an account has its sites. */
export function teamId(account: string): string {
  return hexOf(`team ${account}`).slice(0, 24);
}

export function teamSlug(account: string): string {
  return `team-${account.slice(0, 8)}`;
}

/** Who the token belongs to. */
export const netlifyAccount: readonly WireCall[] = [
  {
    method: "GET",
    path: "user",
    run: ({ account, parts }) => ({
      status: 200,
      json: {
        id: account.slice(0, 24),
        uid: null,
        full_name: `Person ${account.slice(0, 6)}`,
        avatar_url: null,
        email: `${account.slice(0, 6)}@netlify.invalid`,
        affiliate_id: "",
        site_count: parts.store.sites("netlify", account).length,
        created_at: iso(0),
        last_login: iso(0),
        login_providers: ["email"],
        onboarding_progress: {},
      },
    }),
  },
  {
    method: "GET",
    path: "accounts",
    run: ({ account }) => ({
      status: 200,
      json: [
        {
          id: teamId(account),
          name: `Team ${account.slice(0, 6)}`,
          slug: teamSlug(account),
          type: "personal",
          type_id: "standin",
          type_name: "Stand-in",
          owner_ids: [account.slice(0, 24)],
          roles_allowed: ["Owner", "Collaborator"],
          capabilities: {},
          created_at: iso(0),
          updated_at: iso(0),
        },
      ],
    }),
  },
];
