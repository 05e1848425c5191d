import { WorkspaceError } from "@agent-workspace/client";
import { takeToken } from "./address.ts";
import { onSubmit, show } from "./page.ts";
import { visitor } from "./service.ts";

const token = takeToken();
if (token === "") show("broken-step", "password-step");

onSubmit("form", async (field) => {
  const password = field("password");
  if (password !== field("again")) throw new WorkspaceError("The two passwords are not the same.");
  await visitor.request("POST", "/api/auth/reset-password", { body: { token, password } });
  show("done-step", "password-step");
});
