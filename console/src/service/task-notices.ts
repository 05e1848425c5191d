import type { ConversationTask } from "@agent-workspace/client";
import { signal } from "@preact/signals";
import { workspace } from "./workspace.ts";

/** A task that takes less is watched by who began it. */
const LONG_MS = 60_000;

export type Setting = "ask" | "on" | "off";

/** Whether the person is asked now, in a quiet line of the page, if the browser may tell of long tasks. */
export const isAsked = signal(false);

/** When this page first heard of each task at work, and the timer that runs until it is a long one. */
const atWork = new Map<string, { since: number; timer: ReturnType<typeof setTimeout> }>();
let setting: Promise<Setting | undefined> | undefined;

const SAID = {
  asks: "The agent needs your input",
  completed: "The agent has finished",
  failed: "The agent’s work has failed",
} as const;

/** Whether this browser can tell of anything. */
export const canNotify = (): boolean => "Notification" in window;

/**
 * Takes in an event of one of the person's tasks. At the first long one the person is asked; later ones are told of while the
 * page is not looked at.
 */
export function heard(type: string, task: ConversationTask, open: () => void): void {
  const known = atWork.get(task.taskId);
  if (type === "done") {
    atWork.delete(task.taskId);
    clearTimeout(known?.timer);
  } else if (!known) {
    atWork.set(task.taskId, { since: Date.now(), timer: setTimeout(() => void askOnce(), LONG_MS) });
  }
  if (!known || Date.now() - known.since < LONG_MS) return;
  if (type === "approval_required") void tell(task, "asks", open);
  if (type === "done" && (task.status === "completed" || task.status === "failed"))
    void tell(task, task.status, open);
}

/** Forgets what was read of the setting: it was changed. */
export function settingChanged(): void {
  setting = undefined;
  isAsked.value = false;
}

/** What the person answered; the browser asks by itself before it allows. */
export async function answer(isWanted: boolean): Promise<void> {
  const isAllowed = isWanted && (await Notification.requestPermission()) === "granted";
  await keep(isAllowed ? "on" : "off");
}

/** Stores the setting of the person, for every browser. */
async function keep(next: Setting): Promise<void> {
  await workspace.request("PATCH", "/api/users/preferences", { body: { task_notices: next } });
  settingChanged();
}

/** Read once, when it is needed first. Without an answer nothing is asked or told. */
function readSetting(): Promise<Setting | undefined> {
  setting ??= workspace.request("GET", "/api/users/preferences").then(
    ({ task_notices }) => task_notices,
    () => {
      setting = undefined;
      return undefined;
    },
  );
  return setting;
}

async function askOnce(): Promise<void> {
  if (canNotify() && Notification.permission !== "denied" && (await readSetting()) === "ask")
    isAsked.value = true;
}

async function tell(
  { taskId, title, lastEventId }: ConversationTask,
  event: keyof typeof SAID,
  open: () => void,
): Promise<void> {
  if (!canNotify() || Notification.permission !== "granted" || document.hasFocus()) return;
  if ((await readSetting()) !== "on") return;
  // Of several tabs, each tells the same: the browser shows one. The next question of a task is another one.
  const tag = `${taskId}-${lastEventId}`;
  const notice = new Notification(SAID[event], { body: title ?? "New chat", tag });
  notice.addEventListener("click", () => {
    window.focus();
    notice.close();
    open();
  });
}
