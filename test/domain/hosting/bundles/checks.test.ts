import { describe, expect, it } from "vitest";
import { checkBuild, checkEnv } from "#src/domain/hosting/bundles/index.ts";
import { startedPrograms } from "#src/domain/hosting/bundles/shell-commands.ts";
import { processorMs } from "#test/support/processor-ms.ts";

describe("the programs of a command", () => {
  it.each<[command: string, programs: string[]]>([
    ["", []],
    ["npm run build", ["npm"]],
    ["echo 'npm run build && yarn'", ["echo"]],
    ["cd web&&npm ci||true;node x|cat&bun y", ["cd", "npm", "true", "node", "cat", "bun"]],
    ["NODE_ENV=production A='b c' vite build", ["vite"]],
    ["# npm run build\nmake", ["make"]],
    ["make \\\n  npm", ["make"]],
    ['n"p"m run', ["npm"]],
    ["\\npm run", ["npm"]],
    ["/usr/bin/node x.js", ["/usr/bin/node"]],
    ["env -u X A=1 npm test", ["npm"]],
    ["command -v npm", []],
    ["command npm -v", ["npm"]],
    ["timeout -k 5 60 npm run build", ["npm"]],
    ["nice -n 5 nohup yarn", ["yarn"]],
    ["bash -c 'npm run build'", ["bash", "npm"]],
    ['sh -ec "cd x; npx y"', ["sh", "cd", "npx"]],
    ["eval 'npm ci'", ["npm"]],
    ["find . -name '*.js' | xargs -n 1 node", ["find", "node"]],
    ["echo $(node -v) `npm -v`", ["node", "npm", "echo"]],
    ['echo "$(cat <(yarn bin))"', ["yarn", "cat", "echo"]],
    ["(cd a; npm i)", ["cd", "npm"]],
    ["if test -f npm; then npm i; else echo; fi", ["test", "npm", "echo"]],
    ["for f in npm yarn; do echo $f; done", ["echo"]],
    ["case $x in npm) echo a;; yarn) make;; esac", ["echo", "make"]],
    ["! npm test", ["npm"]],
    ["echo x >npm 2>&1 </dev/null", ["echo"]],
    ["cat <<EOF > a.sh\nnpm ci\nEOF\nmake", ["cat", "make"]],
    ["cat <<-'X'\n\tnode\n\tX\nbun x", ["cat", "bun"]],
    ["$NPM run build", ["$NPM"]],
    ["build() { npx a; }; build", ["build", "npx", "build"]],
    ["echo 'not closed npm", ["echo"]],
    ["echo $(( 1 + 2 )) && ls", ["echo", "ls"]],
  ])("of %j are %j", (command, programs) => {
    expect(startedPrograms(command).filter((name) => !/^\d/u.test(name))).toEqual(programs);
  });

  it("are read in time that grows with the command alone", () => {
    const nested = `${"$(".repeat(5000)}npm${")".repeat(5000)}`;
    const texts = [nested, "'\"`$(".repeat(20_000), "<<E\n".repeat(20_000), "bash -c ".repeat(5000)];
    const cost = processorMs(() => texts.forEach((text) => startedPrograms(text.slice(0, 32_000))));
    expect(cost).toBeLessThan(5_000);
  });
});

describe("a build command", () => {
  it.each(["npm run build", "cd web && pnpm build", "python3.12 build.py", "./node_modules/.bin/vite build"])(
    "that needs what the runtime does not have is refused, with the ways out: %s",
    (command) => {
      const build = () => checkBuild("embedded", command);
      expect(build).toThrow(/PROJECT_RUNTIME=host/u);
      expect(build).toThrow(/deployment_mode: source/u);
      expect(build).toThrow(/built files/u);
      expect(() => checkBuild("host", command)).not.toThrow();
      expect(() => checkBuild("sandbox", command)).not.toThrow();
    },
  );

  it.each([null, "", "echo npm-free", "mkdir -p dist && cp index.html dist/", "cp node.html dist/npm"])(
    "that its bash can run is not: %s",
    (command) => expect(() => checkBuild("embedded", command)).not.toThrow(),
  );
});

describe("variables of a deployment", () => {
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`N${index}`, "x"]));
  it.each<[string, Record<string, string>]>([
    ["a reserved name", { _WORKSPACE_REPO_URL: "canary-value" }],
    ["a name that begins with a digit", { "1A": "canary-value" }],
    ["a long name", { ["N".repeat(201)]: "canary-value" }],
    ["a long value", { A: "canary-value".repeat(3000) }],
    ["a NUL character", { A: "canary-value\0" }],
    ["too many", many],
  ])("with %s are refused, and not repeated", (_, env) => {
    expect(() => checkEnv(env)).toThrow(expect.objectContaining({ code: "invalid_input" }));
    expect(() => checkEnv(env)).not.toThrow("canary-value");
  });

  it("of any other name are taken", () => {
    expect(() =>
      checkEnv({ API_URL: "https://x", _a1: "", ["N".repeat(200)]: "x", _WORKSPACE: "x" }),
    ).not.toThrow();
  });
});
