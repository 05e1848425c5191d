import { z } from "zod";
import { MOST_APPROVALS } from "#src/domain/agent-work/approvals/index.ts";
import { listApprovals, sidebarTree } from "#src/domain/agent-work/chats/index.ts";
import { readBalance } from "#src/domain/metering/credits/index.ts";
import { listTeams, requireTeam } from "#src/domain/organisations/teams/index.ts";
import { describeUser, requireAccount } from "#src/domain/people/accounts/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { AppError } from "#src/lib/errors.ts";
import { Credits, describeCredits } from "../billing/credits.ts";
import { describeTeam, Team } from "../teams/team.ts";
import { User } from "../users/user.ts";
import { describeQuestion, Question } from "./approval.ts";
import { SharedQuery } from "./chat.ts";
import { describeTree, Tree } from "./sidebar.ts";

/** One answer for a page's load: each of its parts would be a request, and a page has only so many in a minute. */
export const surroundings = endpoint({
  operationId: "getSidebar",
  method: "get",
  path: "/api/sidebar",
  tag: "Chat",
  summary: "Get what surrounds a page",
  description:
    "What the console shows around every page, in one answer: the account, its teams, the sidebar's tree, the active team's credits, and the calls that wait for an approval.",
  access: { user: "any" },
  query: z
    .object({
      project_id: text({ min: 1, max: 100 }).optional().describe("Id or slug of the page's project"),
    })
    .extend(SharedQuery.shape),
  response: {
    status: 200,
    schema: z.object({
      me: User,
      teams: z.array(Team),
      tree: Tree,
      credits: Credits.nullable().describe("Null where the caller's role does not show them"),
      approvals: z.array(Question).describe(`The oldest ${MOST_APPROVALS}`),
      role: z
        .enum(["admin", "editor", "viewer"])
        .nullable()
        .describe("The caller's in the project; null without one, and where it is not the caller's to see"),
    }),
  },
  async handler({ services, caller, query: { project_id: project, shared } }) {
    const [me, teams, tree, credits, approvals, role] = await Promise.all([
      requireAccount(services, caller.userId),
      listTeams(services, caller.userId),
      sidebarTree(services, caller, { withShared: shared }),
      orRefused(
        requireTeam(services, caller, "billing.view").then(({ teamId }) => readBalance(services, teamId)),
      ),
      listApprovals(services, caller, undefined, { limit: MOST_APPROVALS, after: undefined }),
      project === undefined
        ? null
        : orRefused(requireProject(services, caller, project, "project.view").then((found) => found.role)),
    ]);
    return {
      me: describeUser(me),
      teams: teams.map(describeTeam),
      tree: describeTree(tree, caller),
      credits: credits && describeCredits(credits),
      approvals: approvals.map(describeQuestion),
      role,
    };
  },
});

/** Null for what the caller may not see. */
async function orRefused<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof AppError && (error.code === "forbidden" || error.code === "not_found")) return null;
    throw error;
  }
}
