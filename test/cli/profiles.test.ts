import { chmod, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configFolder, Profiles } from "#cli/session/profiles.ts";

let home: string;
let folder: string;
let profiles: Profiles;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), "workspace-profiles-"));
  folder = configFolder({ XDG_CONFIG_HOME: home });
  profiles = new Profiles(folder);
});
afterEach(() => rm(home, { recursive: true, force: true }));

const SERVICE = "https://service.test";
const session = { kind: "session", accessToken: "a", refreshToken: "r", account: "ann" } as const;
const modeOf = async (name: string) => (await stat(name)).mode & 0o777;

describe("profiles", () => {
  it("are kept for each service, in files of the owner alone", async () => {
    await profiles.set(SERVICE, session);
    await profiles.set("https://other.test", { kind: "key", key: "tsk_1" });
    expect(await profiles.get(SERVICE)).toEqual(session);
    expect(await profiles.current()).toBe("https://other.test");
    expect(await modeOf(folder)).toBe(0o700);
    expect(await modeOf(path.join(folder, "profiles.json"))).toBe(0o600);
    expect(await readdir(folder)).toEqual(["profiles.json"]);
  });

  it("are refused when their file or their folder is open to others", async () => {
    await profiles.set(SERVICE, session);
    const file = path.join(folder, "profiles.json");
    for (const mode of [0o604, 0o640, 0o620, 0o602]) {
      await chmod(file, mode);
      await expect(profiles.get(SERVICE)).rejects.toMatchObject({
        code: "not_private",
        advice: expect.stringContaining(`chmod 600 ${file}`),
      });
    }
    await chmod(file, 0o600);
    await chmod(folder, 0o755);
    await expect(profiles.get(SERVICE)).rejects.toMatchObject({
      advice: expect.stringContaining(`chmod 700 ${folder}`),
    });
  });

  it("forget a service, and with it that it was the current one", async () => {
    await profiles.set(SERVICE, session);
    await profiles.remove(SERVICE);
    expect(await profiles.get(SERVICE)).toBeUndefined();
    expect(await profiles.current()).toBeUndefined();
  });

  it("are in the home folder where the variable is none, or is relative", () => {
    expect(configFolder({})).toMatch(/\.config\/workspace$/u);
    expect(configFolder({ XDG_CONFIG_HOME: "relative" })).toMatch(/\.config\/workspace$/u);
  });
});
