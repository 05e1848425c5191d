import type { api } from "@agent-workspace/client";
import { Route, Switch } from "wouter-preact";
import { Tabs } from "../../parts/tabs.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMe } from "../../service/reads.ts";
import { useTeam, useTeams } from "../../service/roles.ts";
import { AuditLog } from "./audit-log.tsx";
import { Invitations } from "./invitations.tsx";
import { Members } from "./members.tsx";
import { MyTeams } from "./my-teams.tsx";
import { TeamSettings } from "./team-settings.tsx";

const TABS = [
  { path: "/team", name: "People" },
  { path: "/team/audit", name: "Audit log" },
];

/** The team that the person works in, and the others that they may go to. */
export function TeamPage() {
  const team = useTeam();
  return (
    <Loaded of={useTeams()}>
      {(teams) =>
        team ? (
          <Found key={team.id} team={team} teams={teams} />
        ) : (
          <>
            <h1>Team</h1>
            <p>You work in no team. Go to one of yours, or create one.</p>
            <MyTeams teams={teams} active={undefined} />
          </>
        )
      }
    </Loaded>
  );
}

function Found({ team, teams }: { team: api.Team; teams: readonly api.Team[] }) {
  const isAdmin = team.role === "admin";
  const { data: me } = useMe();
  return (
    <>
      <h1>{team.name}</h1>
      <p class="muted">
        {team.is_personal ? "Your personal team" : `You are its ${team.role}`} · {team.subscription_tier} ·{" "}
        {team.total_credits} credits
      </p>
      {isAdmin && <Tabs label="Team" tabs={TABS} />}
      <Switch>
        <Route path="/team/audit">
          {isAdmin ? (
            <AuditLog team={team} />
          ) : (
            <p class="notice">The audit log is for administrators of the team.</p>
          )}
        </Route>
        <Route path="/team">
          <Members team={team} me={me?.id} />
          {isAdmin && <Invitations team={team} />}
          <TeamSettings team={team} />
          <MyTeams teams={teams} active={team.id} />
        </Route>
        <Route>
          <p>There is no such page.</p>
        </Route>
      </Switch>
    </>
  );
}
