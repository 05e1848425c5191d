import type { api } from "@agent-workspace/client";
import { ActionForm } from "../../parts/action-form.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { stale } from "../../service/reads.ts";
import { canNotify, settingChanged } from "../../service/task-notices.ts";
import { workspace } from "../../service/workspace.ts";
import { accountKeys, usePreferences } from "./reads.ts";

/** What tells the person of tasks that run for long. */
export function Notices({ me }: { me: api.User }) {
  return (
    <>
      <h2>Notifications</h2>
      <p class="muted">When a task that ran for more than a minute ends, fails or needs your input:</p>
      <Loaded of={usePreferences()}>
        {({ task_mail, task_notices }) => (
          <ActionForm submit="Save notifications" done="Saved" isKept work={save}>
            <label class="check">
              <input type="checkbox" name="task_notices" defaultChecked={task_notices === "on"} />
              Show a browser notification while the console is open
            </label>
            {canNotify() && Notification.permission === "denied" && (
              <p class="muted small">
                This browser blocks notifications of this site. Allow them in its settings.
              </p>
            )}
            <label class="check">
              <input type="checkbox" name="task_mail" defaultChecked={task_mail} />
              Send an email with the chat’s title and a link, at most ten an hour; and one a day when an MCP
              server needs authorization
            </label>
            {!me.is_verified && (
              <p class="muted small">
                No email is sent until you confirm your email address, under Sign-in and security.
              </p>
            )}
          </ActionForm>
        )}
      </Loaded>
    </>
  );
}

async function save(form: FormData): Promise<void> {
  const isOn = form.get("task_notices") !== null;
  // Asked for first: a browser opens its question only right after a click.
  if (isOn && canNotify() && Notification.permission === "default") await Notification.requestPermission();
  const body = { task_notices: isOn ? "on" : "off", task_mail: form.get("task_mail") !== null } as const;
  await workspace.request("PATCH", "/api/users/preferences", { body });
  settingChanged();
  stale(accountKeys.preferences);
}
