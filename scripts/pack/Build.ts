/** Builds every published package and packs each as it would go to the registry. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { PUBLISHED } from "../tidy/ExportsMap.ts"
import { pnpm, runOrThrow, tool } from "./Run.ts"

/** Builds from nothing, so that no file of an earlier build is packed. Gives the paths of the tarballs. */
export const packAll = (root: string, target: string): ReadonlyArray<string> => {
  for (const folder of PUBLISHED) {
    rmSync(join(root, "packages", folder, "dist"), { recursive: true, force: true })
  }
  const projects = PUBLISHED.map((folder) => `packages/${folder}/tsconfig.build.json`)
  runOrThrow(tool(root, "tsc"), ["-b", ...projects], { cwd: root })
  return PUBLISHED.map((folder) => {
    const cwd = join(root, "packages", folder)
    const report = runOrThrow(pnpm(), ["pack", "--pack-destination", target, "--json"], { cwd })
    const { filename }: { readonly filename: string } = JSON.parse(report.slice(report.indexOf("{")))
    return filename
  })
}
