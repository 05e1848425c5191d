import { eq } from "drizzle-orm";
import { teamMemberships, teams, users } from "#src/db/schema/index.ts";
import type { Role, UserCaller } from "#src/domain/access/permissions/index.ts";
import { openingCredits } from "#src/domain/metering/credits/index.ts";
import { createTeam, type MemberCaller } from "#src/domain/organisations/teams/index.ts";
import { createProject, type Project } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { CLIENT, CREDITS } from "./people.ts";

export interface Colleague {
  id: string;
  email: string;
  personalTeamId: string;
  caller: UserCaller;
}

/** A person with an account and a personal team, of whom only the membership of teams matters: there is no password. */
export async function newColleague(db: Db, name = "colleague"): Promise<Colleague> {
  const [id, personalTeamId] = [crypto.randomUUID(), crypto.randomUUID()];
  const username = `${name}-${id.slice(0, 8)}`;
  const email = `${username}@example.com`;
  await db.batch([
    db
      .insert(users)
      .values({ id, email, username, name: username, slug: username, defaultTeamId: personalTeamId }),
    db.insert(teams).values({
      id: personalTeamId,
      name,
      slug: `${username}-team`,
      isPersonal: true,
      createdBy: id,
      ...openingCredits(CREDITS, { isProved: false }),
    }),
    db.insert(teamMemberships).values({ teamId: personalTeamId, userId: id, role: "admin" }),
  ]);
  const caller = { kind: "user", userId: id, sessionId: crypto.randomUUID(), isSuperuser: false } as const;
  return { id, email, personalTeamId, caller };
}

/** An empty project in the person's own team. */
export function newProject(db: Db, { caller }: Pick<Colleague, "caller">): Promise<Project> {
  return createProject({ db }, caller, { name: "app", description: "", sourceType: "empty" });
}

/** A team that is no personal one, with its owner as administrator. */
export async function newTeam(db: Db, owner?: Colleague) {
  const creator = owner ?? (await newColleague(db, "owner"));
  const { team } = await createTeam({ db, config: CREDITS }, creator.caller, { name: "Team" }, CLIENT);
  return { id: team.id, slug: team.slug, owner: creator, admin: asMember(creator, team.id, "admin") };
}

export async function joinTeam(db: Db, { id }: Colleague, teamId: string, role: Role): Promise<void> {
  await db.insert(teamMemberships).values({ teamId, userId: id, role });
}

/** A new member of a team. */
export async function newMember(db: Db, teamId: string, role: Role) {
  const person = await newColleague(db, role);
  await joinTeam(db, person, teamId, role);
  return { ...person, member: asMember(person, teamId, role) };
}

/** The caller as the guard of a team's routes lets them in. */
export function asMember({ caller }: Colleague, teamId: string, role: Role): MemberCaller {
  return { ...caller, membership: { teamId, role } };
}

/** The roles of a team by the ids of its members. */
export async function rolesOf(db: Db, teamId: string): Promise<Record<string, Role>> {
  const rows = await db.select().from(teamMemberships).where(eq(teamMemberships.teamId, teamId));
  return Object.fromEntries(rows.map(({ userId, role }) => [userId, role]));
}
