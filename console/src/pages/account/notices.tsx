import { ActionForm } from "../../parts/action-form.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { stale } from "../../service/reads.ts";
import { canNotify, settingChanged } from "../../service/task-notices.ts";
import { workspace } from "../../service/workspace.ts";
import { accountKeys, usePreferences } from "./reads.ts";

/** What tells the person of tasks that run for long. */
export function Notices() {
  return (
    <>
      <h2>Notifications</h2>
      <p class="muted">When a task that ran for more than a minute ends, fails or asks for your answer:</p>
      <Loaded of={usePreferences()}>
        {({ task_mail, task_notices }) => (
          <ActionForm submit="Save notifications" done="Saved" isKept work={save}>
            <label class="check">
              <input type="checkbox" name="task_notices" defaultChecked={task_notices === "on"} />
              Show a notification of the browser, while the console is open
            </label>
            {canNotify() && Notification.permission === "denied" && (
              <p class="muted small">
                This browser blocks notifications of this site: allow them in its settings.
              </p>
            )}
            <label class="check">
              <input type="checkbox" name="task_mail" defaultChecked={task_mail} />
              Send a mail with its title and a link, at most ten in an hour
            </label>
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
