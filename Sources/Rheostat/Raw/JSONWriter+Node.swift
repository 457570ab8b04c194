import LosslessJSON

extension JSONWriter {
    /// Writes the value at `node` in strict JSON: scalars as they are spelled, without comments and trailing commas.
    mutating func value(_ node: JSONNode) {
        switch node.kind {
        case .object:
            beginObject()
            for member in node.members {
                spelledName(member.nameNode)
                value(member.value)
            }
            endObject()
        case .array:
            beginArray()
            for element in node.elements { value(element) }
            endArray()
        default: raw(node.bytes)
        }
    }

    private mutating func spelledName(_ node: JSONNode) {
        do throws(JSONValueError) { name(try node.string()) } catch {
            // Half of a surrogate pair is no text, and a name can only be written as one: the replacement character.
            name(node.text.dropFirst().dropLast().description)
        }
    }
}
