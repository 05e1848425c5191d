import { onSubmit, show } from "./page.ts";
import { visitor } from "./service.ts";

onSubmit("form", async (field) => {
  await visitor.request("POST", "/api/auth/forgot-password", { body: { email: field("email") } });
  show("sent-step", "ask-step");
});
