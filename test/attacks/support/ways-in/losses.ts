import { eq } from "drizzle-orm";
import { projects, teams, type CHANNEL_LOSSES } from "#src/db/schema/index.ts";
import { changeAccount, deleteAccount } from "#src/domain/administration/accounts/index.ts";
import { revokeApiKey } from "#src/domain/programs/api-keys/index.ts";
import { changeRole, leaveTeam, removeMember } from "#src/domain/programs/members/index.ts";
import { deleteTeam } from "#src/domain/organisations/teams/index.ts";
import { requestPasswordReset, resetPassword } from "#src/domain/people/mailed-links/index.ts";
import { addProjectMember, deleteProject, updateProject } from "#src/domain/workspaces/projects/index.ts";
import { newAdministrator } from "#test/support/administrators.ts";
import { newTeam } from "#test/support/colleagues.ts";
import { CLIENT } from "#test/support/people.ts";
import type { Scene } from "./scene.ts";

export interface Loss {
  lose: (scene: Scene) => Promise<unknown>;
  /** Whether a use of a way in, as `<way in>: <use>`, ends with it. */
  ends: (use: string) => boolean;
  /** Why the service ends the owner's channels; null when they stay as they are, or are gone. */
  endsChannels: (typeof CHANNEL_LOSSES)[number] | null;
}

const isAlwaysOn = (use: string) => use.startsWith("always on: ");
const isOfKey = (use: string) =>
  /^(API key|schedule of a key): |^channel of cli .*: takes messages$/u.test(use);

/** The mark belongs to the team, whose other members go on. */
const ofPerson = (use: string) => !isAlwaysOn(use);
const all = () => true;

const bossOf = ({ team }: Scene) => team.owner.caller;

const administrator = async ({ db }: Scene) => ({
  caller: (await newAdministrator(db)).caller,
  address: CLIENT.address,
  reason: "a reason",
});

/** The kinds of loss, of a person who owns ways into a team's project. */
export const LOSSES: Readonly<Record<string, Loss>> = {
  "a lower role in the team": {
    lose: ({ deps, team, owner }) => changeRole(deps, team.admin, owner.id, "viewer", CLIENT),
    ends: ofPerson,
    endsChannels: "access_lost",
  },
  "a lower role in the project": {
    lose: (scene) =>
      addProjectMember(
        scene.deps,
        { caller: bossOf(scene), project: scene.projectId, client: CLIENT },
        { userId: scene.owner.id },
        "viewer",
      ),
    ends: ofPerson,
    endsChannels: "access_lost",
  },
  "the removal from the team": {
    lose: ({ deps, team, owner }) => removeMember(deps, team.admin, owner.id, CLIENT),
    ends: ofPerson,
    endsChannels: "access_lost",
  },
  "leaving the team": {
    lose: ({ deps, owner }) => leaveTeam(deps, owner.member, CLIENT),
    ends: ofPerson,
    endsChannels: "access_lost",
  },
  "a project that becomes private": {
    lose: (scene) =>
      updateProject(scene.deps, bossOf(scene), scene.projectId, { visibility: "private" }, CLIENT),
    ends: ofPerson,
    endsChannels: "access_lost",
  },
  "a project that moves to another team": {
    async lose({ db, projectId }) {
      const { id: teamId } = await newTeam(db);
      await db.update(teams).set({ subscriptionTier: "pro" }).where(eq(teams.id, teamId));
      await db.update(projects).set({ teamId }).where(eq(projects.id, projectId));
    },
    ends: ofPerson,
    endsChannels: null,
  },
  "the end of the project": {
    lose: (scene) => deleteProject(scene.deps, bossOf(scene), scene.projectId),
    ends: all,
    endsChannels: "project_deleted",
  },
  "the end of the team": {
    async lose(scene) {
      await deleteProject(scene.deps, bossOf(scene), scene.projectId);
      await deleteTeam(scene.deps, scene.team.admin, CLIENT);
    },
    ends: all,
    endsChannels: "project_deleted",
  },
  "a disabled account": {
    lose: async (scene) =>
      changeAccount(scene.deps, await administrator(scene), scene.owner.id, { isActive: false }),
    ends: ofPerson,
    endsChannels: "account_disabled",
  },
  "a deleted account": {
    lose: async (scene) => deleteAccount(scene.deps, await administrator(scene), scene.owner.id),
    ends: ofPerson,
    endsChannels: null,
  },
  "an address that another person has proved": {
    async lose({ mail, owner }) {
      mail.published.length = 0;
      await requestPasswordReset(mail.deps, owner.email, CLIENT);
      const { token } = await mail.linkFor(owner.email);
      await resetPassword(mail.deps, { token, password: "another horse" }, CLIENT);
    },
    ends: ofPerson,
    endsChannels: "handed_over",
  },
  "a revoked key": {
    lose: ({ deps, owner, key }) => revokeApiKey(deps, owner.id, key.id, CLIENT),
    ends: isOfKey,
    endsChannels: null,
  },
  "the end of the tier": {
    lose: ({ db, team }) => db.update(teams).set({ subscriptionTier: "free" }).where(eq(teams.id, team.id)),
    ends: isAlwaysOn,
    endsChannels: null,
  },
};
