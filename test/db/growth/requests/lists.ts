import { sql } from "drizzle-orm";
import { pageOfAccounts, pageOfActions } from "#src/domain/administration/accounts/queries/lists.ts";
import { agentsOfTeam } from "#src/domain/agent-work/agents/queries.ts";
import { keysOfUser } from "#src/domain/programs/api-keys/queries.ts";
import { snapshotsOf } from "#src/domain/workspaces/archives/queries.ts";
import { pageOfAuditEntries } from "#src/domain/access/audit/queries.ts";
import { backgroundTasksOf } from "#src/domain/workspaces/background-tasks/queries.ts";
import { basesFor } from "#src/domain/workspaces/bases/queries.ts";
import {
  activeTasks,
  countChats,
  listApprovals,
  listChats,
  listChatsOfProject,
  listMessages,
  listMessagesOfProject,
  messagesOfChats,
  searchChats,
  sidebarTree,
} from "#src/domain/agent-work/chats/index.ts";
import { defaultWorkspaceOf } from "#src/domain/agent-work/chats/queries/chats.ts";
import {
  lastBegunTask,
  liveTasks,
  tasksBegunAfter,
} from "#src/domain/agent-work/chats/queries/live-tasks.ts";
import { countRuns, runsOfProject } from "#src/domain/workspaces/command-runs/queries.ts";
import { connectionsOf, containersOf, previewsOf } from "#src/domain/workspaces/containers/queries.ts";
import { devicesOfUser } from "#src/domain/programs/desktop/queries.ts";
import { connectionsOf as gitConnectionsOf } from "#src/domain/source-control/git-hosts/queries.ts";
import { credentialsOf } from "#src/domain/hosting/credentials/queries.ts";
import {
  deploymentsOfProject,
  deploymentsOfUser,
  linesAfter,
  openingOf,
  sealedEnvs,
} from "#src/domain/hosting/deployments/queries/requests.ts";
import { openInvitations } from "#src/domain/organisations/invitations/queries.ts";
import { membersOfTeam } from "#src/domain/programs/members/queries.ts";
import { passkeysOf } from "#src/domain/people/passkeys/queries.ts";
import { activeKeys } from "#src/domain/models/model-keys/queries/keys.ts";
import { activeProviders } from "#src/domain/models/model-keys/queries/providers.ts";
import { listProjects } from "#src/domain/workspaces/projects/index.ts";
import { membersOfProject } from "#src/domain/workspaces/projects/queries/members.ts";
import { liveSessions } from "#src/domain/access/sessions/queries.ts";
import { openSessionsOf } from "#src/domain/workspaces/shells/queries.ts";
import { listTurns, listTasks } from "#src/domain/agent-work/tasks/index.ts";
import { teamsOfUser } from "#src/domain/organisations/teams/queries.ts";
import { pageOfCalls, usageByModelAndAgent } from "#src/domain/metering/usage/queries.ts";
import { rowOf, type Person } from "../people.ts";
import { pageOfAgents } from "#src/domain/marketplace/catalogue/queries/agents.ts";
import { pageOfBases } from "#src/domain/marketplace/catalogue/queries/bases.ts";
import { callersOf, ofEachPerson, type Request } from "./request.ts";

/** For a list that is returned whole unless a page is requested. */
const NO_PAGE = "no page is asked for";

/** The statements of every route that lists rows of the database. */
export const LISTS: readonly Request[] = [
  ...ofEachPerson((person) => [
    ...projects(person),
    ...chats(person),
    ...tasks(person),
    ...deployments(person),
    ...rest(person),
  ]),
  {
    name: "accounts, administrator",
    run: (db) => pageOfAccounts(db, {}, { limit: 50, offset: 0 }),
    showsOthers: "all accounts are counted",
  },
  { name: "actions, administrator", run: (db) => pageOfActions(db, {}, { limit: 50, offset: 0 }) },
  { name: "search of agents", run: (db) => pageOfAgents(db, SEARCH, undefined) },
  { name: "search of templates", run: (db) => pageOfBases(db, SEARCH, undefined) },
  {
    name: "agents of the marketplace",
    run: (db) => pageOfAgents(db, { ...SEARCH, search: undefined }, undefined),
    showsOthers: "all are counted",
  },
];

const SEARCH = { search: "Number 1234", sort: "featured", page: 1, limit: 12 } as const;

function projects(person: Person): Request[] {
  const { userId, user, key } = callersOf(person);
  const project = rowOf(person, "project", 1);
  return [
    { name: "a page of projects", run: (db) => listProjects({ db }, user, { limit: 50 }) },
    {
      name: "a page of a key's projects",
      run: (db) => listProjects({ db }, key, { limit: 50, after: project }),
    },
    { name: "projects", run: (db) => listProjects({ db }, user, {}), showsOthers: NO_PAGE },
    { name: "sidebar", run: (db) => sidebarTree({ db }, user) },
    { name: "default workspace", run: (db) => defaultWorkspaceOf(db, user, null) },
    {
      name: "members of a project",
      run: (db) => membersOfProject(db, project),
      isShort: "people of one project",
    },
    {
      name: "containers",
      run: (db) => containersOf(db, project),
      isShort: "of one project",
    },
    { name: "connections", run: (db) => connectionsOf(db, project), isShort: "of one project" },
    { name: "browser previews", run: (db) => previewsOf(db, project), isShort: "of one project" },
    {
      name: "snapshots",
      run: (db) => snapshotsOf(db, project),
      isShort: "MAX_SNAPSHOTS_PER_PROJECT of each role",
    },
    { name: "command history", run: (db) => runsOfProject(db, project, 50) },
    { name: "command statistics", run: (db) => countRuns(db, userId, 7), isShort: "a row for each risk" },
  ];
}

function chats(person: Person): Request[] {
  const { userId, user, key } = callersOf(person);
  const project = rowOf(person, "project", 1);
  const page = { limit: 10, offset: 0 };
  return [
    {
      name: "chats",
      async run(db) {
        const found = await listChats({ db }, user, page);
        await countChats({ db }, user);
        const ids = found.map(({ id }) => id);
        return messagesOfChats(db, ids, 50);
      },
    },
    { name: "search", run: (db) => searchChats({ db }, user, { text: "usual length", limit: 20 }) },
    { name: "search without a hit", run: (db) => searchChats({ db }, key, { text: "nowhere", limit: 20 }) },
    { name: "chats of a key", run: (db) => listChats({ db }, key, page) },
    { name: "chats of a project", run: (db) => listChatsOfProject({ db }, user, project, page) },
    {
      name: "messages of a chat",
      run: (db) => listMessages({ db }, user, rowOf(person, "chat", 1)),
      isShort: "the newest 1000, with the turns of 50 tasks",
    },
    {
      name: "history of a project",
      run: (db) => listMessagesOfProject({ db }, user, { project, chatId: undefined }),
      isShort: "the newest 1000, with the turns of 50 tasks",
    },
    {
      name: "tasks under way",
      run: (db) => activeTasks({ db }, user, { project, chatId: undefined }),
      isShort: "USER_MAX_CONCURRENT_AGENTS and those that wait",
    },
    {
      name: "approvals",
      run: (db) => listApprovals({ db }, user, project),
      isShort: "of tasks under way",
    },
    { name: "approvals of all projects", run: (db) => listApprovals({ db }, user, undefined) },
    {
      name: "approvals of a bound key",
      run: (db) => listApprovals({ db }, { ...key, projectIds: [project] }, undefined),
    },
    {
      name: "live tasks",
      run: (db) =>
        liveTasks(db, project, { userIds: [userId], named: [rowOf(person, "task", 1)], withShared: false }),
      isShort: "of tasks under way",
    },
    {
      name: "tasks begun after one",
      run: (db) =>
        tasksBegunAfter(
          db,
          { projectId: project, userId, withShared: false },
          [rowOf(person, "task", 1)],
          50,
        ),
    },
    { name: "last task", run: (db) => lastBegunTask(db, { projectId: project, userId, withShared: false }) },
  ];
}

function tasks(person: Person): Request[] {
  const { user, key } = callersOf(person);
  const filter = { statuses: null, projectId: null, since: null };
  const page = { page: 1, limit: 50 };
  const project = rowOf(person, "project", 1);
  return [
    { name: "tasks", run: (db) => listTasks({ db }, user, filter, page) },
    {
      name: "tasks that failed",
      run: (db) => listTasks({ db }, user, { ...filter, statuses: ["failed"] }, page),
    },
    {
      name: "tasks of a project",
      run: (db) => listTasks({ db }, user, { ...filter, projectId: project }, page),
    },
    {
      name: "tasks of a bound key",
      run: (db) => listTasks({ db }, { ...key, projectIds: [project] }, filter, page),
    },
    {
      name: "tasks of a chat",
      run: (db) => listTasks({ db }, user, { ...filter, chatId: rowOf(person, "chat", 1) }, page),
    },
    {
      name: "tasks of an origin",
      run: (db) => listTasks({ db }, user, { ...filter, origin: "browser" }, page),
    },
    {
      name: "tasks of a rare origin",
      run: (db) => listTasks({ db }, user, { ...filter, origin: "schedule" }, page),
    },
    {
      name: "short steps",
      run: (db) => listTurns({ db }, rowOf(person, "task", 1), { ...page, results: "short" }),
    },
    { name: "steps", run: (db) => listTurns({ db }, rowOf(person, "task", 1), page) },
  ];
}

function deployments(person: Person): Request[] {
  const { userId, user } = callersOf(person);
  const page = { limit: 50, offset: 0 };
  const project = rowOf(person, "project", 1);
  return [
    { name: "deployments", run: (db) => deploymentsOfUser(db, user, { ...page, projectIds: null }) },
    {
      name: "deployments of a bound key",
      run: (db) => deploymentsOfUser(db, user, { ...page, projectIds: [project] }),
    },
    { name: "deployments of a project", run: (db) => deploymentsOfProject(db, project, page) },
    { name: "variables of a project's deployments", run: (db) => sealedEnvs(db, project) },
    {
      name: "what a deployment is decided by",
      run: (db) =>
        db.batch(
          openingOf(db, {
            userId,
            provider: "netlify",
            projectId: sql`${project}::uuid`,
            idempotencyKey: "none",
          }),
        ),
      isShort: "one row of each",
    },
    {
      name: "lines of a deployment",
      run: (db) => linesAfter(db, rowOf(person, "deployment", 1), { after: 0, limit: 500 }),
    },
    {
      name: "hosting credentials",
      run: (db) => credentialsOf(db, userId, {}),
      isShort: "one for each account",
    },
  ];
}

function rest(person: Person): Request[] {
  const { userId, teamId } = callersOf(person);
  const own = rowOf(person, "personal", 0);
  const page = { limit: 50, offset: 0 };
  const month = { teamId: own, from: new Date(Date.now() - 30 * 24 * 3600 * 1000), to: undefined };
  return [
    { name: "teams", run: (db) => teamsOfUser(db, userId), isShort: "MAX_TEAMS_PER_USER and invitations" },
    {
      name: "a page of members",
      run: (db) => membersOfTeam(db, teamId, { limit: 50 }),
      showsOthers: "sorted by when they joined",
    },
    { name: "members of a team", run: (db) => membersOfTeam(db, teamId, {}), showsOthers: NO_PAGE },
    { name: "invitations", run: (db) => openInvitations(db, own), isShort: "what is open" },
    { name: "agents", run: (db) => agentsOfTeam(db, teamId), isShort: "MAX_AGENTS_PER_TEAM" },
    { name: "audit log", run: (db) => pageOfAuditEntries(db, { teamId: own }, page) },
    {
      name: "audit log of a project",
      run: (db) => pageOfAuditEntries(db, { teamId: own, projectId: rowOf(person, "project", 1) }, page),
    },
    {
      name: "usage",
      run: (db) => usageByModelAndAgent(db, month),
      isShort: "a row for each model and agent",
    },
    { name: "model calls", run: (db) => pageOfCalls(db, month, page) },
    { name: "keys", run: (db) => keysOfUser(db, userId, { limit: 50 }) },
    { name: "passkeys", run: (db) => passkeysOf(db, userId), isShort: "MAX_PASSKEYS_PER_USER" },
    { name: "sign-ins", run: (db) => liveSessions(db, userId), isShort: "what has not expired" },
    {
      name: "work in the background",
      run: (db) => backgroundTasksOf(db, userId, { open: false, limit: 50 }),
    },
    { name: "bases", run: (db) => basesFor(db, userId) },
    { name: "shells", run: (db) => openSessionsOf(db, userId, undefined), isShort: "a limit per person" },
    { name: "git connections", run: (db) => gitConnectionsOf(db, userId), isShort: "one for each host" },
    { name: "model keys", run: (db) => activeKeys(db, userId), isShort: "a limit per person" },
    { name: "model providers", run: (db) => activeProviders(db, userId), isShort: "a limit per person" },
    { name: "devices", run: (db) => devicesOfUser(db, userId), isShort: "a person's machines" },
  ];
}
