import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { User } from "./queries.ts";
import { storeChange } from "./store-change.ts";

/** Preferences of a person: how the console looks, and what tells of long tasks. Absent fields stay; null restores the default. */
export interface PreferencesChange {
  diagramModel?: string | null | undefined;
  themePreset?: string | null | undefined;
  chatPosition?: string | null | undefined;
  taskMail?: boolean | undefined;
  taskNotices?: User["taskNotices"] | undefined;
}

const CHAT_POSITIONS = ["left", "center", "right"] as const;
type ChatPosition = (typeof CHAT_POSITIONS)[number];

const DEFAULT_THEME = "default-dark";
const DEFAULT_POSITION: ChatPosition = "center";

/** Preferences with defaults filled in, under the field names that existing clients read. */
export function describePreferences(user: User) {
  return {
    diagram_model: user.diagramModel,
    theme_preset: user.themePreset ?? DEFAULT_THEME,
    chat_position: user.chatPosition ?? DEFAULT_POSITION,
    task_mail: user.taskMail,
    task_notices: user.taskNotices,
  };
}

/** Throws `invalid_input` for an unknown position or an invalid theme name. */
export async function updatePreferences(
  deps: { db: Db },
  userId: string,
  { diagramModel, themePreset, chatPosition, taskMail, taskNotices }: PreferencesChange,
): Promise<User> {
  return storeChange(deps.db, userId, {
    diagramModel,
    themePreset: typeof themePreset === "string" ? checkTheme(themePreset) : themePreset,
    chatPosition: typeof chatPosition === "string" ? checkPosition(chatPosition) : chatPosition,
    taskMail,
    taskNotices,
  });
}

function checkTheme(theme: string): string {
  if (/^[a-z0-9-]{1,64}$/u.test(theme)) return theme;
  throw new AppError(
    "invalid_input",
    "theme_preset must be 1 to 64 lowercase letters, digits and hyphens, such as default-dark",
  );
}

function checkPosition(position: string): ChatPosition {
  const known = CHAT_POSITIONS.find((each) => each === position);
  if (known) return known;
  throw new AppError("invalid_input", "chat_position must be left, center or right");
}
