import { WorkspaceError } from "@agent-workspace/client";
import { takeToken } from "./address.ts";
import { onPress, show } from "./page.ts";
import { visitor } from "./service.ts";

const token = takeToken();
if (token === "") show("broken-step", "ask-step");

// Requires a click, because mail scanners open links, too.
onPress("confirm", async () => {
  try {
    await visitor.request("POST", "/api/auth/verify", { body: { token } });
  } catch (error) {
    const isDone = error instanceof WorkspaceError && error.detail === "VERIFY_USER_ALREADY_VERIFIED";
    if (!isDone) throw error;
  }
  show("done-step", "ask-step");
});
