import { goOn } from "./address.ts";
import { onSubmit } from "./page.ts";
import { visitor } from "./service.ts";

onSubmit("form", async (field) => {
  const body = { email: field("email"), name: field("name"), password: field("password") };
  await visitor.request("POST", "/api/auth/register", { body });
  goOn();
});
