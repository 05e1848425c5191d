import { eq } from "drizzle-orm";
import { users } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Account } from "./api-client.ts";
import { databaseOf } from "./database.ts";
import { newPerson } from "./people.ts";
import type { SharedService } from "./shared-service.ts";

/** A person with the role of an administrator of the installation. */
export async function newAdministrator(db: Db): Promise<Awaited<ReturnType<typeof newPerson>>> {
  const person = await newPerson(db, "admin");
  await db.update(users).set({ isSuperuser: true }).where(eq(users.id, person.user.id));
  return { ...person, caller: { ...person.caller, isSuperuser: true } };
}

/** The same, with an account at a service. */
export async function signUpAdministrator(service: SharedService): Promise<Account> {
  const account = await service.signUp("admin");
  await databaseOf(service).update(users).set({ isSuperuser: true }).where(eq(users.id, account.id));
  return account;
}
