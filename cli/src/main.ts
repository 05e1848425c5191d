import manifest from "../package.json" with { type: "json" };

const args = process.argv.slice(2);

// Nothing else is loaded for it: editors and scripts ask often.
if (args.length === 1 && (args[0] === "--version" || args[0] === "-v")) {
  process.stdout.write(`${manifest.version}\n`);
} else {
  // Not awaited here: the bundle is CommonJS, which has no such line at its top.
  void import("./command-line.ts").then(({ runCommandLine }) => runCommandLine(args));
}
