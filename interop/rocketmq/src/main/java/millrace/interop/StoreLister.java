package millrace.interop;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.store.CommitLog;
import org.apache.rocketmq.store.ConsumeQueue;
import org.apache.rocketmq.store.ConsumeQueueExt;
import org.apache.rocketmq.store.DispatchRequest;
import org.apache.rocketmq.store.SelectMappedBufferResult;

/** Lists everything that a store holds: each record as the store's own decoder reads it, and each queue entry. */
final class StoreLister {
    private static final int BLANK_MAGIC = 0xCBD43194;
    private static final int MAGIC_V2 = 0xDAA320AB;
    private static final int MAGIC_OFFSET = 4;
    private static final int BODY_CRC_OFFSET = 8;
    private static final int PHYSICAL_OFFSET_OFFSET = 28;
    private static final int RECORD_LENGTH_MIN = 91;
    private static final int ENTRY_LENGTH = 20;
    private static final int BATCH_ENTRY_LENGTH = 46;

    private final OpenStore open;

    StoreLister(OpenStore open) {
        this.open = open;
    }

    JsonObject list() throws Exception {
        JsonObject listing = open.settle();
        listRecords(listing);
        listing.add("queues", queues());
        return listing;
    }

    private void listRecords(JsonObject listing) throws Exception {
        JsonArray messages = new JsonArray();
        JsonArray blanks = new JsonArray();
        long end = open.store.getMaxPhyOffset();
        long position = open.store.getMinPhyOffset();
        while (position < end) {
            SelectMappedBufferResult data = open.store.getCommitLogData(position);
            if (data == null) {
                break;
            }
            try {
                ByteBuffer bytes = data.getByteBuffer();
                int size = bytes.remaining() < 8 ? 0 : bytes.getInt(0);
                boolean isBlank = size >= 8 && bytes.getInt(MAGIC_OFFSET) == BLANK_MAGIC;
                if (!isBlank && (size < RECORD_LENGTH_MIN || size > bytes.remaining())) {
                    break;
                }
                if (isBlank) {
                    JsonArray blank = new JsonArray();
                    blank.add(position);
                    blank.add(size);
                    blanks.add(blank);
                } else {
                    messages.add(describe(slice(bytes, size), position));
                }
                position += size;
            } finally {
                data.release();
            }
        }
        listing.add("messages", messages);
        listing.add("blanks", blanks);
        listing.addProperty("listedTo", position);
    }

    private static ByteBuffer slice(ByteBuffer bytes, int size) {
        ByteBuffer slice = bytes.slice();
        slice.limit(size);
        return slice;
    }

    private JsonObject describe(ByteBuffer bytes, long position) throws Exception {
        DispatchRequest dispatched = check(bytes.duplicate());
        MessageExt message = MessageDecoder.decode(bytes.duplicate(), true, false);
        JsonObject described = new JsonObject();
        described.addProperty("position", position);
        described.addProperty("storeSize", message.getStoreSize());
        described.addProperty("isValid", dispatched.isSuccess());
        described.addProperty("version", bytes.getInt(MAGIC_OFFSET) == MAGIC_V2 ? 2 : 1);
        described.addProperty("topic", message.getTopic());
        described.addProperty("queueId", message.getQueueId());
        described.addProperty("queueOffset", message.getQueueOffset());
        described.addProperty("recordPosition", bytes.getLong(PHYSICAL_OFFSET_OFFSET));
        described.addProperty("flag", message.getFlag());
        described.addProperty("sysFlag", message.getSysFlag());
        described.addProperty("bornTimestamp", message.getBornTimestamp());
        described.addProperty("bornHost", Hosts.format(message.getBornHost()));
        described.addProperty("storeTimestamp", message.getStoreTimestamp());
        described.addProperty("storeHost", Hosts.format(message.getStoreHost()));
        described.addProperty("bodyCrc", bytes.getInt(BODY_CRC_OFFSET));
        described.addProperty("reconsumeTimes", message.getReconsumeTimes());
        described.addProperty("preparedTransactionOffset", message.getPreparedTransactionOffset());
        described.addProperty("offsetMsgId", message.getMsgId());
        described.addProperty("tagsCode", dispatched.getTagsCode());
        byte[] body = message.getBody();
        described.addProperty("body", body == null ? "" : Base64.getEncoder().encodeToString(body));
        JsonObject properties = new JsonObject();
        if (message.getProperties() != null) {
            new TreeMap<>(message.getProperties()).forEach(properties::addProperty);
        }
        described.add("properties", properties);
        return described;
    }

    /** The check of recovery, with all CRCs. Its arguments differ between the versions. */
    private DispatchRequest check(ByteBuffer bytes) throws Exception {
        CommitLog log = open.store.getCommitLog();
        for (Method method : CommitLog.class.getMethods()) {
            if (method.getName().equals("checkMessageAndReturnSize") && method.getParameterCount() == 4) {
                boolean checkCrc = true;
                boolean checkDuplication = false;
                boolean readBody = true;
                return (DispatchRequest) method.invoke(log, bytes, checkCrc, checkDuplication, readBody);
            }
        }
        return log.checkMessageAndReturnSize(bytes, true, true);
    }

    private JsonArray queues() throws Exception {
        JsonArray queues = new JsonArray();
        for (Map.Entry<String, ? extends Map<Integer, ?>> topic : open.store.getConsumeQueueTable().entrySet()) {
            for (Map.Entry<Integer, ?> queue : topic.getValue().entrySet()) {
                JsonObject described = new JsonObject();
                long min = open.store.getMinOffsetInQueue(topic.getKey(), queue.getKey());
                long max = open.store.getMaxOffsetInQueue(topic.getKey(), queue.getKey());
                described.addProperty("topic", topic.getKey());
                described.addProperty("queueId", queue.getKey());
                described.addProperty("minOffset", min);
                described.addProperty("maxOffset", max);
                described.add("entries", entries(queue.getValue(), min, max));
                queues.add(described);
            }
        }
        return queues;
    }

    private static JsonArray entries(Object queue, long min, long max) throws Exception {
        return queue instanceof ConsumeQueue
            ? plainEntries((ConsumeQueue) queue, min, max)
            : batchEntries(queue, min, max);
    }

    /** Entries of a batch consume queue, which versions before 5.0 do not have. */
    private static JsonArray batchEntries(Object queue, long min, long max) throws Exception {
        Method indexBuffer = queue.getClass().getMethod("getBatchMsgIndexBuffer", long.class);
        JsonArray entries = new JsonArray();
        for (long offset = min; offset < max;) {
            SelectMappedBufferResult data = (SelectMappedBufferResult) indexBuffer.invoke(queue, offset);
            if (data == null) {
                break;
            }
            try {
                ByteBuffer bytes = data.getByteBuffer();
                for (int at = 0; at + BATCH_ENTRY_LENGTH <= bytes.limit() && offset < max; at += BATCH_ENTRY_LENGTH) {
                    JsonArray entry = new JsonArray();
                    entry.add(bytes.getLong(at));
                    entry.add(bytes.getInt(at + 8));
                    entry.add(bytes.getLong(at + 12));
                    entry.add(bytes.getLong(at + 20));
                    entry.add(bytes.getLong(at + 28));
                    entry.add(bytes.getShort(at + 36));
                    entry.add(bytes.getInt(at + 38));
                    entry.add(bytes.getInt(at + 42));
                    entries.add(entry);
                    offset = bytes.getLong(at + 28) + bytes.getShort(at + 36);
                }
            } finally {
                data.release();
            }
        }
        return entries;
    }

    private static JsonArray plainEntries(ConsumeQueue queue, long min, long max) {
        JsonArray entries = new JsonArray();
        for (long offset = min; offset < max;) {
            SelectMappedBufferResult data = queue.getIndexBuffer(offset);
            if (data == null) {
                break;
            }
            try {
                ByteBuffer bytes = data.getByteBuffer();
                for (; bytes.remaining() >= ENTRY_LENGTH && offset < max; offset++) {
                    JsonArray entry = new JsonArray();
                    entry.add(bytes.getLong());
                    entry.add(bytes.getInt());
                    addTagsCode(entry, queue, bytes.getLong());
                    entries.add(entry);
                }
            } finally {
                data.release();
            }
        }
        return entries;
    }

    /** The code itself, or what the unit of the extended queue has: null for an address that leads to none. */
    private static void addTagsCode(JsonArray entry, ConsumeQueue queue, long code) {
        if (!queue.isExtAddr(code)) {
            entry.add(code);
            return;
        }
        ConsumeQueueExt.CqExtUnit unit = queue.getExt(code);
        entry.add(unit == null ? null : unit.getTagsCode());
        entry.add(unit == null ? null : unit.getMsgStoreTime());
        entry.add(code - Long.MIN_VALUE);
    }
}
