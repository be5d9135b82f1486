/** The house rules as an oxlint plugin. `Storeys.ts` decides what may stand where; this file walks the tree. */
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import type { RuleTester } from "oxlint/plugins-dev"
import { judgeBarrel, judgeImport, roomOf } from "./Storeys.ts"

type Rule = Parameters<RuleTester["run"]>[1]
type Create = NonNullable<Rule["create"]>
type Context = Parameters<Create>[0]
type Visitor = ReturnType<Create>
type Handler<K extends keyof Visitor> = NonNullable<Visitor[K]>
type Node<K extends keyof Visitor> = Handler<K> extends (node: infer N) => void ? N : never
type ImportDeclaration = Node<"ImportDeclaration">
type Statement = Node<"Program">["body"][number]
type ESTreeNode = Node<"MemberExpression"> | Node<"CallExpression"> | Node<"NewExpression"> | Node<"Identifier">

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** The file's path from the repository's root, which is what every judgement is about. */
const pathOf = (context: Context): string => relative(ROOT, context.physicalFilename).replaceAll("\\", "/")

/** Calls `visit` for every way to name another module: import, export … from, import(), import("…") in a type, require. */
const eachImport = (visit: (source: { readonly value: unknown }, typeOnly: boolean) => void): Visitor => ({
  ImportDeclaration: (node) => visit(node.source, isTypeOnlyImport(node)),
  ExportAllDeclaration: (node) => visit(node.source, node.exportKind === "type"),
  ExportNamedDeclaration: (node) => {
    if (node.source !== null) {
      visit(node.source, node.exportKind === "type")
    }
  },
  ImportExpression: (node) => {
    if (node.source.type === "Literal") {
      visit(node.source, false)
    }
  },
  TSImportType: (node) => visit(node.source, true),
  CallExpression: (node) => {
    const [argument] = node.arguments
    if (argument?.type === "Literal" && isRequire(node.callee)) {
      visit(argument, false)
    }
  }
})

/** `require` itself, under whatever its maker was called at once. */
const isRequire = (callee: Node<"CallExpression">["callee"]): boolean =>
  (callee.type === "Identifier" && callee.name === "require") ||
  (callee.type === "CallExpression" && callee.callee.type === "Identifier" && callee.callee.name === "createRequire")

const isTypeOnlyImport = (node: ImportDeclaration): boolean =>
  node.importKind === "type" ||
  (node.specifiers.length > 0 &&
    node.specifiers.every((specifier) => specifier.type === "ImportSpecifier" && specifier.importKind === "type"))

const storeys: Rule = {
  create: (context) =>
    eachImport((source, typeOnly) => {
      const message = judgeImport(pathOf(context), String(source.value), typeOnly)
      if (message !== undefined) {
        context.report({ node: source as never, message })
      }
    })
}

/** Globals that an area may not name at all. */
const WORLD: ReadonlySet<string> = new Set([
  "console",
  "crypto",
  "fetch",
  "globalThis",
  "performance",
  "queueMicrotask",
  "setImmediate",
  "setInterval",
  "setTimeout"
])

/** Facts about the machine that never change while a program runs. */
const PROCESS_FACTS: ReadonlySet<string> = new Set(["arch", "platform", "version", "versions"])

/** What of the world a global is used for, or `undefined` when the use is harmless. */
const judgeGlobal = (name: string, parent: ESTreeNode | undefined, identifier: ESTreeNode): string | undefined => {
  const property = parent?.type === "MemberExpression" && parent.object === identifier ? memberName(parent) : undefined
  const use = property === undefined ? name : `${name}.${property}`
  switch (name) {
    case "Date": {
      const isClock =
        property === "now" ||
        (parent?.type === "CallExpression" && parent.callee === identifier) ||
        (parent?.type === "NewExpression" && parent.callee === identifier && parent.arguments.length === 0)
      return isClock ? `the clock of ${use}` : undefined
    }
    case "Math":
      return property === "random" ? use : undefined
    case "process":
      return property !== undefined && PROCESS_FACTS.has(property) ? undefined : use
    default:
      return WORLD.has(name) ? use : undefined
  }
}

const memberName = (node: Node<"MemberExpression">): string => {
  if (node.property.type === "Identifier" && !node.computed) {
    return node.property.name
  }
  return node.property.type === "Literal" ? String(node.property.value) : "[…]"
}

/** A kernel is given the time, its random numbers and its timers: that is what lets a simulator drive it. */
const noAmbientWorld: Rule = {
  create: (context) => {
    if (roomOf(pathOf(context)).storey !== "area") {
      return {}
    }
    return {
      Program: () => {
        for (const { identifier, resolved } of context.sourceCode.scopeManager.scopes.flatMap((s) => s.references)) {
          const isGlobal = resolved === null || resolved.defs.length === 0
          const use = isGlobal ? judgeGlobal(identifier.name, parentOf(identifier), identifier) : undefined
          if (use !== undefined) {
            context.report({
              node: identifier,
              message: `an area file does not use ${use}: clock, randomness and timers are ports that are passed in`
            })
          }
        }
      }
    }
  }
}

const parentOf = (node: object): ESTreeNode | undefined => ("parent" in node ? (node.parent as ESTreeNode) : undefined)

/** Exports of `effect` that are functions of a module rather than modules. */
const HOMES: Readonly<Record<string, string>> = {
  absurd: "Function",
  cast: "Function",
  flow: "Function",
  hole: "Function",
  identity: "Function",
  pipe: "Function",
  unsafeCoerce: "Function"
}

const noBarrels: Rule = {
  meta: { fixable: "code" },
  create: (context) =>
    eachImport((source) => {
      const message = judgeBarrel(pathOf(context), String(source.value))
      if (message !== undefined) {
        const declaration = (source as { readonly parent?: { readonly type: string } }).parent
        const replacement =
          declaration?.type === "ImportDeclaration"
            ? splitBarrel(declaration as unknown as ImportDeclaration)
            : undefined
        context.report({
          node: source as never,
          message,
          fix: (fixer) => (replacement === undefined ? null : fixer.replaceText(declaration as never, replacement))
        })
      }
    })
}

/** `import { Effect, pipe } from "effect"` as one import a module; `undefined` when it has another form. */
const splitBarrel = (node: ImportDeclaration): string | undefined => {
  const barrel = node.source.value
  if (barrel.startsWith(".")) {
    return undefined
  }
  const lines: Array<string> = []
  for (const specifier of node.specifiers) {
    if (specifier.type !== "ImportSpecifier" || specifier.imported.type !== "Identifier") {
      return undefined
    }
    const type = node.importKind === "type" || specifier.importKind === "type" ? "type " : ""
    const { name } = specifier.imported
    const home = barrel === "effect" ? HOMES[name] : undefined
    lines.push(
      home === undefined
        ? `import ${type}* as ${specifier.local.name} from "${barrel}/${name}"`
        : `import ${type}{ ${name === specifier.local.name ? name : `${name} as ${specifier.local.name}`} } from "${barrel}/${home}"`
    )
  }
  return lines.join("\n")
}

/** Every export of a public module says what it is, in which group of its page it belongs, and since when it exists. */
const documentedExports: Rule = {
  create: (context) => {
    const { file, storey } = roomOf(pathOf(context))
    if (storey !== "public" || file === "index") {
      return {}
    }
    return {
      Program: (program) => {
        let overload: string | undefined
        for (const statement of program.body) {
          const name = exportedName(statement)
          if (name !== undefined && name !== overload) {
            checkDocstring(context, statement, name)
          }
          for (const specifier of namesOfList(statement)) {
            const { exported } = specifier
            checkDocstring(context, specifier, exported.type === "Literal" ? exported.value : exported.name)
          }
          overload = name !== undefined && isOverload(statement) ? name : undefined
        }
      }
    }
  }
}

/** `export { a, b }` and `export type { A } from "./A.ts"`: each name has its own docstring inside the braces. */
const namesOfList = (statement: Statement): ReadonlyArray<Node<"ExportSpecifier">> =>
  statement.type === "ExportNamedDeclaration" && statement.declaration === null ? statement.specifiers : []

const exportedName = (statement: Statement): string | undefined => {
  if (statement.type === "ExportAllDeclaration") {
    return `* from ${statement.source.value}`
  }
  if (statement.type === "ExportDefaultDeclaration") {
    return "default"
  }
  if (statement.type !== "ExportNamedDeclaration") {
    return undefined
  }
  const { declaration } = statement
  if (declaration === null) {
    return undefined
  }
  if (declaration.type === "VariableDeclaration") {
    return declaration.declarations.map(({ id }) => (id.type === "Identifier" ? id.name : "a pattern")).join(", ")
  }
  const id = "id" in declaration ? declaration.id : null
  return id !== null && id.type === "Identifier" ? id.name : "declaration"
}

const isOverload = (statement: Statement): boolean =>
  statement.type === "ExportNamedDeclaration" && statement.declaration?.type === "TSDeclareFunction"

const checkDocstring = (context: Context, node: Statement | Node<"ExportSpecifier">, name: string): void => {
  const comment = context.sourceCode.getCommentsBefore(node).at(-1)
  if (comment === undefined || comment.type !== "Block" || !comment.value.startsWith("*")) {
    context.report({ node, message: `the export ${name} has no docstring` })
    return
  }
  if (!/[a-z]/i.test(comment.value.split(/^\s*\*?\s*@/m)[0]!)) {
    context.report({ node, message: `the docstring of ${name} says nothing before its tags` })
  }
  for (const tag of ["@since", "@category"]) {
    if (!new RegExp(`${tag} \\S`).test(comment.value)) {
      context.report({ node, message: `the docstring of ${name} has no ${tag}` })
    }
  }
}

export default {
  meta: { name: "millrace" },
  rules: {
    storeys,
    "no-ambient-world": noAmbientWorld,
    "no-barrels": noBarrels,
    "documented-exports": documentedExports
  }
}
