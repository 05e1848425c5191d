import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { ActionForm } from "../../parts/action-form.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { stateWord } from "../../parts/badge.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Choice, TextField } from "../../parts/fields.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { teamKeys, useInvitations } from "./reads.ts";
import { roleOf, ROLES } from "./roles.ts";

const MAIL: Record<api.InvitedMember["mail"], string> = {
  sent: "Invitation sent. You can also share the link:",
  retrying: "The email could not be sent yet and will be retried. You can share the link yourself:",
  not_configured: "This installation sends no email. Share the link yourself:",
};

interface Made {
  url: string;
  says: string;
}

/** Brings people into a team, by mail or by a link. An invitation's address is shown when it is made, and never again. */
export function Invitations({ team }: { team: api.Team }) {
  const [made, setMade] = useState<Made>();
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations">Invite people</h2>
      {made && (
        <div class="notice" role="status">
          <p>{made.says}</p>
          <div class="row">
            <code class="wrapping">{made.url}</code>
            <CopyButton text={made.url} label="Copy link" />
          </div>
        </div>
      )}
      <div class="two">
        <section aria-labelledby="by-mail">
          <h3 id="by-mail">By email</h3>
          <ByMail team={team.slug} show={setMade} />
        </section>
        <section aria-labelledby="by-link">
          <h3 id="by-link">With a link</h3>
          <ByLink team={team.slug} show={setMade} />
        </section>
      </div>
      <Open team={team.slug} />
    </section>
  );
}

interface MakerProps {
  team: string;
  show: (made: Made) => void;
}

function ByMail({ team, show }: MakerProps) {
  const invite = async (form: FormData) => {
    const body = { email: textOf(form, "email"), role: roleOf(form.get("role")) };
    const made = await workspace.teams.invite(team, body);
    show({ url: made.invite_url, says: MAIL[made.mail] });
    stale(teamKeys.invitations);
  };
  return (
    <ActionForm submit="Invite by email" work={invite}>
      <TextField label="Email address" name="email" type="email" required maxLength={320} />
      <RoleChoice />
    </ActionForm>
  );
}

function ByLink({ team, show }: MakerProps) {
  const make = async (form: FormData) => {
    const uses = Number(textOf(form, "uses"));
    const body = {
      role: roleOf(form.get("role")),
      expires_in_days: Number(textOf(form, "days")),
      ...(uses > 0 && { max_uses: uses }),
    };
    const made = await workspace.request("POST", "/api/teams/{team}/members/link", { path: { team }, body });
    show({
      url: made.invite_url,
      says: "Anyone with this link can join. Copy it now: it is shown only once.",
    });
    stale(teamKeys.invitations);
  };
  return (
    <ActionForm submit="Create link" work={make}>
      <RoleChoice />
      <TextField
        label="Maximum number of people"
        name="uses"
        type="number"
        min={1}
        max={10_000}
        placeholder="No limit"
      />
      <Choice label="Expires" name="days">
        <option value="7">In 7 days</option>
        <option value="30" selected>
          In 30 days
        </option>
        <option value="365">In a year</option>
      </Choice>
    </ActionForm>
  );
}

function RoleChoice() {
  return (
    <Choice label="Role" name="role">
      {ROLES.map(({ role, may }) => (
        <option key={role} value={role}>
          {stateWord(role)}: {may}
        </option>
      ))}
    </Choice>
  );
}

function Open({ team }: { team: string }) {
  return (
    <Loaded of={useInvitations(team)}>
      {(found) =>
        found.length > 0 && (
          <ul class="list" aria-label="Open invitations">
            {found.map((each) => (
              <li key={each.id}>
                <span class="told">
                  {each.email ?? "A link"}{" "}
                  <span class="muted small">
                    as {each.role} · used {each.uses}
                    {each.max_uses !== null && ` of ${each.max_uses}`} · by {each.inviter_name ?? "someone"} ·
                    expires <Moment at={each.expires_at} />
                  </span>
                </span>
                <AskFirst
                  label={`Revoke the invitation ${each.email === null ? "by link" : `of ${each.email}`}`}
                  shown="Revoke"
                  title="Revoke this invitation?"
                  confirm="Revoke"
                  work={async () => {
                    const path = { team, invitation: each.id };
                    await workspace.request("DELETE", "/api/teams/{team}/invitations/{invitation}", { path });
                    stale(teamKeys.invitations);
                  }}
                >
                  <p>No one else can join with it. Members who already joined stay.</p>
                </AskFirst>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
