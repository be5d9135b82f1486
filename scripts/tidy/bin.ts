/**
 * `pnpm tidy [--fix]`: house rules that are about the tree as a whole. `--fix` writes the exports maps, the barrels and
 * the tables of modules.
 */
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import * as ExportsMap from "./ExportsMap.ts"
import * as Finding from "./Finding.ts"
import * as ModuleTable from "./ModuleTable.ts"
import * as Text from "./Text.ts"
import * as Tools from "./Tools.ts"
import * as Tree from "./Tree.ts"

const { values } = parseArgs({
  options: {
    fix: { type: "boolean", default: false },
    root: { type: "string", default: dirname(dirname(import.meta.dirname)) }
  }
})

const sourcesOf = (folder: string) => ExportsMap.readSources(join(values.root, "packages", folder))

if (values.fix) {
  ExportsMap.fix(values.root)
  ModuleTable.fix(values.root, sourcesOf)
}
const tree = Tree.open(values.root)
const findings = Finding.sort([
  ...Text.markers(tree),
  ...Text.machineTraces(
    tree,
    [homedir(), values.root].filter((path) => path.length > 1)
  ),
  ...Text.fileNames(tree),
  ...Text.fileSizes(tree),
  ...Text.links(tree),
  ...ExportsMap.check(values.root),
  ...ModuleTable.check(values.root, sourcesOf),
  ...Tools.oxlint(values.root),
  ...Tools.knip(values.root)
])
for (const finding of findings) {
  console.error(Finding.format(finding))
}
console.log(findings.length === 0 ? `tidy: ${tree.paths.length} files in order` : `tidy: ${findings.length} findings`)
process.exitCode = findings.length === 0 ? 0 : 1
