import type { api } from "@agent-workspace/client";
import { Route, Switch } from "wouter-preact";
import { stateWord } from "../../parts/badge.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { plural } from "../../parts/numbers.ts";
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
    <Loaded title="Team" of={useTeams()}>
      {(teams) =>
        team ? (
          <Found key={team.id} team={team} teams={teams} />
        ) : (
          <>
            <Heading>Team</Heading>
            <p>You are not in a team right now. Switch to one of yours, or create one.</p>
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
      <Heading>{team.name}</Heading>
      <p class="muted">
        {team.is_personal
          ? "Your personal team"
          : `You are ${team.role === "viewer" ? "a" : "an"} ${team.role}`}{" "}
        · {stateWord(team.subscription_tier)} plan · {plural(team.total_credits, "credit")}
      </p>
      {isAdmin && <Tabs label="Team" tabs={TABS} />}
      <Switch>
        <Route path="/team/audit">
          {isAdmin ? (
            <AuditLog team={team} />
          ) : (
            <p class="notice">Only administrators of the team can see the audit log.</p>
          )}
        </Route>
        <Route path="/team">
          <Members team={team} me={me?.id} />
          {isAdmin && <Invitations team={team} />}
          <TeamSettings team={team} />
          <MyTeams teams={teams} active={team.id} />
        </Route>
        <Route>
          <p class="muted">This page does not exist.</p>
        </Route>
      </Switch>
    </>
  );
}
