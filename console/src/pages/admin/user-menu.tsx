import type { api } from "@agent-workspace/client";
import { Ban, Coins, Ellipsis, KeyRound, RotateCcw, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { Question } from "../../parts/ask-first.tsx";
import { TextField } from "../../parts/fields.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Icon } from "../../parts/icon.tsx";
import { Menu, MenuButton } from "../../parts/menu.tsx";
import { plural } from "../../parts/numbers.ts";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { adminKeys } from "./reads.ts";

interface Asked {
  user: api.ListedUser;
  onClosed: () => void;
}

/** What an administrator can do with an account; each asks first. One's own account is neither disabled nor deleted here. */
export function UserMenu({ user, isOwn }: { user: api.ListedUser; isOwn: boolean }) {
  const [asked, setAsked] = useState<"status" | "credits" | "authenticator" | "deletion">();
  const question = { user, onClosed: () => setAsked(undefined) };
  return (
    <>
      <Menu label={`Actions for ${user.username}`} face={<Icon of={Ellipsis} />}>
        {!isOwn && (
          <MenuButton icon={user.is_active ? Ban : RotateCcw} onPicked={() => setAsked("status")}>
            {statusVerb(user)}…
          </MenuButton>
        )}
        <MenuButton icon={Coins} onPicked={() => setAsked("credits")}>
          Credits…
        </MenuButton>
        {user.has_authenticator && (
          <MenuButton icon={KeyRound} onPicked={() => setAsked("authenticator")}>
            Turn off authenticator…
          </MenuButton>
        )}
        {!isOwn && (
          <>
            <hr />
            <MenuButton icon={Trash2} isDanger onPicked={() => setAsked("deletion")}>
              Delete…
            </MenuButton>
          </>
        )}
      </Menu>
      {asked === "status" && <StatusQuestion {...question} />}
      {asked === "credits" && <CreditsQuestion {...question} />}
      {asked === "authenticator" && <AuthenticatorQuestion {...question} />}
      {asked === "deletion" && <DeletionQuestion {...question} />}
    </>
  );
}

const statusVerb = ({ is_active }: api.ListedUser) => (is_active ? "Disable" : "Enable");

function StatusQuestion({ user, onClosed }: Asked) {
  const verb = statusVerb(user);
  return (
    <Question
      title={`${verb} ${user.username}?`}
      onClosed={onClosed}
      confirm={verb}
      isHarmless={!user.is_active}
      work={async (form) => {
        const path = { user: user.id };
        const body = { reason: textOf(form, "reason") || null };
        await (user.is_active
          ? workspace.request("POST", "/api/admin/users/{user}/disable", { path, body })
          : workspace.request("POST", "/api/admin/users/{user}/enable", { path, body }));
        stale(adminKeys.users, adminKeys.trail);
      }}
    >
      <p>
        {user.is_active
          ? "The account is signed out everywhere, its keys stop working, and its running tasks are stopped."
          : "The person can sign in again, and their keys work again."}
      </p>
      <TextField label="Reason (for the audit log)" name="reason" maxLength={500} />
    </Question>
  );
}

function AuthenticatorQuestion({ user, onClosed }: Asked) {
  return (
    <Question
      title={`Turn off the authenticator app of ${user.username}?`}
      onClosed={onClosed}
      confirm="Turn off"
      work={async (form) => {
        const body = { reason: textOf(form, "reason") || null };
        await workspace.request("POST", "/api/admin/users/{user}/turn-off-authenticator", {
          path: { user: user.id },
          body,
        });
        stale(adminKeys.users, adminKeys.trail);
      }}
    >
      <p>
        For a person who has lost the app and the recovery codes. Make sure the request really comes from that
        person.
      </p>
      <TextField label="Reason (for the audit log)" name="reason" maxLength={500} />
    </Question>
  );
}

function DeletionQuestion({ user, onClosed }: Asked) {
  return (
    <Question
      title={`Delete ${user.username}?`}
      onClosed={onClosed}
      typed={user.username}
      confirm="Delete account"
      work={async () => {
        await workspace.request("DELETE", "/api/users/{user}", { path: { user: user.id } });
        stale(adminKeys.users, adminKeys.trail);
      }}
    >
      <p>The account goes with its projects, chats, keys and subscriptions. This cannot be undone.</p>
    </Question>
  );
}

function CreditsQuestion({ user, onClosed }: Asked) {
  return (
    <Question
      title={`Adjust credits of ${user.username}`}
      onClosed={onClosed}
      confirm="Adjust"
      isHarmless
      work={async (form) => {
        const body = { amount: Number(textOf(form, "amount")), reason: textOf(form, "reason") };
        await workspace.request("POST", "/api/admin/users/{user}/credits/adjust", {
          path: { user: user.id },
          body,
        });
        stale(adminKeys.users, adminKeys.trail, keys.credits);
      }}
    >
      <p>Their personal team has {plural(user.total_credits, "credit")}. One credit is one US cent.</p>
      <TextField
        label="Credits to add"
        name="amount"
        type="number"
        step={1}
        required
        hint="A negative number removes credits."
      />
      <TextField label="Reason (for the audit log)" name="reason" required maxLength={500} />
    </Question>
  );
}
