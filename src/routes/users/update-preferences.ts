import * as accounts from "#src/domain/people/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Preferences, PreferencesBody } from "./preferences.ts";

export const updatePreferences = endpoint({
  operationId: "updatePreferences",
  method: "patch",
  path: "/api/users/preferences",
  aliases: ["/users/preferences"],
  summary: "Update preferences",
  description: "How the console looks to the caller, and what tells of the caller's long tasks.",
  tag: "Accounts",
  access: { user: "any" },
  example: { theme_preset: "default-dark" },
  body: PreferencesBody,
  response: { status: 200, schema: Preferences },
  async handler({ services, caller, body }) {
    const updated = await accounts.updatePreferences(services, caller.userId, {
      diagramModel: body.diagram_model,
      themePreset: body.theme_preset,
      chatPosition: body.chat_position,
      taskMail: body.task_mail,
      taskNotices: body.task_notices,
    });
    return accounts.describePreferences(updated);
  },
});
