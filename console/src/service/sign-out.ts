import { workspace } from "./workspace.ts";

/** Ends this session alone; those of other devices go on. */
export async function signOut(): Promise<void> {
  const sessions = await workspace.sessions.list();
  const here = sessions.find(({ is_current }) => is_current);
  if (here) await workspace.sessions.end(here.id);
  location.replace("/login");
}
